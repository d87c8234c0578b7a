#!lua
-- @script  assign-waitlist
-- @keys    journal state packets claims waitlist waiting
-- @args    activityId countMax
-- @returns journalEntryId field*
--
--   rp:{shard}:journal                stream  see grab.lua; the activity of such an entry is
--                                             "<activityId> waitlist <moment>*"
--   rp:{shard}:<activityId>:state     hash    status, closesAt (ms), format, parts, pace
--   rp:{shard}:<activityId>:packets   list
--   rp:{shard}:<activityId>:claims    hash
--   rp:{shard}:<activityId>:waitlist  zset    userId by the moment of joining
--   rp:{shard}:waiting                set     activities with a waiting list
--
-- Gives free packets to the users who have waited longest, at most countMax. O(users assigned * log
-- users who wait).
--
-- Leaving the list, getting the packet and the journal entry are one step: a process that dies
-- after it leaves a reservation like any other, which the sweeper confirms. The answer is the text
-- of the journal: "<activityId> waitlist" with the moments of joining, for users who have to keep
-- waiting; and "<userId> <packet> <userId> <packet> ...".
--
-- If the activity is dealt over several parts, this is part 0, and the entry begins with "v2", as
-- in grab-part.lua. Terms that restrict who wins make it "v<format>", as in grab.lua.
--
-- Packets that a plan has not released are not free: users wait for those as well.
--
-- A full Redis refuses the whole script, so no packet is taken that the journal does not have.
--
-- The list ends when the rain is closed, and not by this server's clock, which may be set back.
-- When no user waits any more, the next grab opens the gate again.

local state = redis.call('HMGET', state_key, 'status', 'closesAt', 'format', 'parts', 'pace')
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if tonumber(state[3] or '1') > format_max then
  return { '' }
end
if state[1] == 'closed' or state[1] == 'closing' then
  redis.call('UNLINK', waitlist_key)
  redis.call('SREM', waiting_key, activity_id)
  return { '' }
end
if state[1] ~= 'open' or now >= tonumber(state[2]) then
  return { '' }
end

local first = redis.call('ZRANGE', waitlist_key, 0, count_max - 1, 'WITHSCORES')
if #first == 0 then
  redis.call('SREM', waiting_key, activity_id)
  return { '' }
end
local held_back = state[5] and unreleased(state[5], now) or 0
local released = math.min(#first / 2, redis.call('LLEN', packets_key) - held_back)
local free = released > 0 and redis.call('LRANGE', packets_key, -released, -1) or {}

-- Users who hold a packet, however they got it, lose their place.
local moments, claims, served = {}, {}, {}
for i = 1, #first, 2 do
  local user = first[i]
  if redis.call('HEXISTS', claims_key, user) == 1 then
    served[#served + 1] = user
  elseif #moments < #free then
    served[#served + 1] = user
    moments[#moments + 1] = first[i + 1]
    claims[#claims + 1] = user
    claims[#claims + 1] = free[#free + 1 - #moments]
  end
end

local reply = { '' }
if #moments > 0 then
  local entry = { activity_id .. ' waitlist ' .. table.concat(moments, ' '), table.concat(claims, ' ') }
  local format = tonumber(state[3] or '1')
  if format >= format_marked or state[4] then
    entry = { format >= format_marked and 'v' .. format or 'v2', '', entry[1], entry[2] }
  end
  reply = { redis.call('XADD', journal_key, '*', unpack(entry)), unpack(entry) }
  redis.call('HSET', claims_key, unpack(claims))
  redis.call('LTRIM', packets_key, 0, -#moments - 1)
end
if #served > 0 then
  redis.call('ZREM', waitlist_key, unpack(served))
end
return reply
