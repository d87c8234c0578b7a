-- @script  load-packets
-- @keys    state packets
-- @args    cursorBefore cursorAfter packet*
-- @returns packetCursor
--
--   rp:{shard}:<activityId>:state    hash  status, packetCursor, loaded
--   rp:{shard}:<activityId>:packets  list
--
-- Appends one chunk of packets, exactly once. O(packets).
--
-- The cursor is the number of the last packet loaded. A chunk is taken only where the cursor stands at its
-- beginning, so a chunk that is sent again after a lost reply, or by a second loader, changes nothing.

local state = redis.call('HMGET', KEYS[1], 'status', 'packetCursor')
if state[1] == 'loading' and state[2] == ARGV[1] then
  redis.call('RPUSH', KEYS[2], unpack(ARGV, 3))
  redis.call('HINCRBY', KEYS[1], 'loaded', #ARGV - 2)
  redis.call('HSET', KEYS[1], 'packetCursor', ARGV[2])
end
return redis.call('HGET', KEYS[1], 'packetCursor')
