-- @script  assign-waitlist
-- @keys    journal state packets claims waitlist waiting
-- @args    activityId countMax
-- @returns journalEntryId about assigned
--
--   rp:{shard}:journal                stream  see grab.lua; the activity of such an entry is "<activityId> waitlist <moment>*"
--   rp:{shard}:<activityId>:state     hash    status, closesAt (ms), waiting
--   rp:{shard}:<activityId>:packets   list
--   rp:{shard}:<activityId>:claims    hash
--   rp:{shard}:<activityId>:waitlist  zset    userId by the moment of joining
--   rp:{shard}:waiting                set     activities with a waiting list
--
-- Gives free packets to those who have waited longest, at most countMax. O(users assigned).
--
-- Leaving the list, getting the packet and its journal entry are one step: whoever dies after it leaves a reservation like
-- any other, which the sweeper confirms. The answer is what the journal says: about, "<activityId> waitlist" with the moments
-- in which they had joined, for whoever has to wait on; and assigned, "<userId> <packet> <userId> <packet> ...".
--
-- The list ends with the rain. When nobody waits any more the next grab opens the gate again.

local state = redis.call('HMGET', KEYS[2], 'status', 'closesAt')
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if state[1] == 'closed' or state[1] == 'closing' or (state[1] == 'open' and now >= tonumber(state[2])) then
  redis.call('UNLINK', KEYS[5])
  redis.call('SREM', KEYS[6], ARGV[1])
  return { '', '', '' }
end
if state[1] ~= 'open' then
  return { '', '', '' }
end

local about, assigned = { ARGV[1], 'waitlist' }, {}
while #assigned < 2 * tonumber(ARGV[2]) do
  local first = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')
  local user, moment = first[1], first[2]
  if not user then
    break
  end
  if redis.call('HEXISTS', KEYS[4], user) == 0 then
    local packet = redis.call('RPOP', KEYS[3])
    if not packet then
      break
    end
    redis.call('HSET', KEYS[4], user, packet)
    about[#about + 1] = moment
    assigned[#assigned + 1] = user
    assigned[#assigned + 1] = packet
  end
  redis.call('ZREM', KEYS[5], user)
end

local waiting = redis.call('ZCARD', KEYS[5])
if waiting == 0 then
  redis.call('HDEL', KEYS[2], 'waiting')
  redis.call('SREM', KEYS[6], ARGV[1])
else
  redis.call('HSET', KEYS[2], 'waiting', waiting)
end

if #assigned == 0 then
  return { '', '', '' }
end
about, assigned = table.concat(about, ' '), table.concat(assigned, ' ')
return { redis.call('XADD', KEYS[1], '*', about, assigned), about, assigned }
