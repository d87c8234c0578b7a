-- @script  open
-- @keys    state packets
-- @args    packetCursor
-- @returns status
--
--   rp:{shard}:<activityId>:state    hash  status, opensAt, closesAt, packetCursor, loaded
--   rp:{shard}:<activityId>:packets  list
--
-- The last step of loading: from here on the window alone decides who may grab. O(1).
--
-- Refuses ("loading" stays) unless the loader has reached the end and the list holds as many packets as were
-- loaded: an activity that opens half loaded would tell "sold-out" while there are packets.

local state = redis.call('HMGET', KEYS[1], 'status', 'packetCursor', 'loaded')
local complete = state[2] == ARGV[1] and tonumber(state[3]) == redis.call('LLEN', KEYS[2])
if state[1] == 'loading' and complete then
  redis.call('HSET', KEYS[1], 'status', 'open')
  return 'open'
end
return state[1]
