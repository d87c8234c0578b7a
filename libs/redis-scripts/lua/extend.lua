-- @script  extend
-- @keys    state packets
-- @args    cursorBefore cursorAfter packetText
-- @returns packetCursor
--
--   rp:{shard}:<activityId>:state    hash  status, packetCursor, loaded
--   rp:{shard}:<activityId>:packets  list
--
-- Appends one page of packets that were added to an activity which is loaded already, exactly once. O(packets), and users
-- draw meanwhile: a page should be small.
--
-- As in load-packets.lua the cursor is the number of the last packet loaded, and a page is taken only where the cursor
-- stands at its beginning. Only an open activity takes one: whatever comes after the close, or while the activity is
-- loaded anew, changes nothing.

local state = redis.call('HMGET', KEYS[1], 'status', 'packetCursor')
if state[1] == 'open' and state[2] == ARGV[1] then
  local packets = {}
  for packet in string.gmatch(ARGV[3], '%S+') do
    packets[#packets + 1] = packet
  end
  if #packets > 0 then
    redis.call('RPUSH', KEYS[2], unpack(packets))
    redis.call('HINCRBY', KEYS[1], 'loaded', #packets)
  end
  redis.call('HSET', KEYS[1], 'packetCursor', ARGV[2])
end
return redis.call('HGET', KEYS[1], 'packetCursor')
