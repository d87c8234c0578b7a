-- @script  assign-waitlist
-- @keys    journal state gate packets claims waitlist waiting
-- @args    activityId countMax
-- @returns journalEntryId assigned
--
--   rp:{shard}:journal                stream  see grab.lua; the activity of such an entry is "<activityId> waitlist"
--   rp:{shard}:<activityId>:state     hash    status, closesAt (ms), waiting
--   rp:{shard}:<activityId>:gate      string
--   rp:{shard}:<activityId>:packets   list
--   rp:{shard}:<activityId>:claims    hash
--   rp:{shard}:<activityId>:waitlist  zset    userId by the moment of joining
--   rp:{shard}:waiting                set     activities with a waiting list
--
-- Gives free packets to those who have waited longest, at most countMax. O(users assigned).
--
-- Leaving the list, getting the packet and its journal entry are one step: whoever dies after it leaves a reservation like
-- any other, which the sweeper confirms. Answers them as in the journal, "<userId> <packet> <userId> <packet> ...".
--
-- The list ends with the rain. When nobody waits any more the next grab opens the gate again.

local state = redis.call('HMGET', KEYS[2], 'status', 'closesAt')
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if state[1] == 'closed' or state[1] == 'closing' or (state[1] == 'open' and now >= tonumber(state[2])) then
  redis.call('UNLINK', KEYS[6])
  redis.call('SREM', KEYS[7], ARGV[1])
  return { '', '' }
end
if state[1] ~= 'open' then
  return { '', '' }
end

local assigned = {}
while #assigned < 2 * tonumber(ARGV[2]) do
  local user = redis.call('ZRANGE', KEYS[6], 0, 0)[1]
  if not user then
    break
  end
  if redis.call('HEXISTS', KEYS[5], user) == 0 then
    local packet = redis.call('RPOP', KEYS[4])
    if not packet then
      break
    end
    redis.call('HSET', KEYS[5], user, packet)
    assigned[#assigned + 1] = user
    assigned[#assigned + 1] = packet
  end
  redis.call('ZREM', KEYS[6], user)
end

local waiting = redis.call('ZCARD', KEYS[6])
if waiting == 0 then
  redis.call('HDEL', KEYS[2], 'waiting')
  redis.call('SREM', KEYS[7], ARGV[1])
else
  -- An activity that was loaded anew does not know any more that somebody waits.
  redis.call('HSET', KEYS[2], 'waiting', waiting)
  redis.call('DEL', KEYS[3])
end

if #assigned == 0 then
  return { '', '' }
end
local text = table.concat(assigned, ' ')
return { redis.call('XADD', KEYS[1], '*', ARGV[1] .. ' waitlist', text), text }
