#!lua
-- @script  open
-- @keys    state packets
-- @args    packetCursor
-- @returns status
--
--   rp:{shard}:<activityId>:state    hash  status, opensAt, closesAt, packetCursor, loaded
--   rp:{shard}:<activityId>:packets  list
--
-- The last step of loading: from here on the window alone decides whether users may grab. O(1).
--
-- Refuses ("loading" stays) unless the loader has reached the end and the list holds as many
-- packets as were loaded: an activity that opens half loaded would answer "sold-out" while there
-- are packets.

local state = redis.call('HMGET', state_key, 'status', 'packetCursor', 'loaded')
local complete = state[2] == packet_cursor and tonumber(state[3]) == redis.call('LLEN', packets_key)
if state[1] == 'loading' and complete then
  redis.call('HSET', state_key, 'status', 'open')
  return 'open'
end
return state[1]
