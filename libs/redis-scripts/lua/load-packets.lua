-- @script  load-packets
-- @keys    state packets
-- @args    cursorBefore cursorAfter packetText
-- @returns packetCursor
--
--   rp:{shard}:<activityId>:state    hash  status, packetCursor, loaded
--   rp:{shard}:<activityId>:packets  list
--
-- Appends one chunk of packets, exactly once. O(packets).
--
-- The cursor is the number of the last packet that is loaded, or claimed and so left out; a chunk may be empty. A chunk is taken only where the cursor stands at its
-- beginning, so a chunk that is sent again after a lost reply, or by a second loader, changes nothing.
--
-- The packets are one text, "<no>:<amountMinor> <no>:<amountMinor> ...": to take it apart here costs a third of what
-- it costs the client to send every packet as an argument.

local state = redis.call('HMGET', KEYS[1], 'status', 'packetCursor')
if state[1] == 'loading' and state[2] == ARGV[1] then
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
