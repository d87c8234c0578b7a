#!lua
-- @script  append-packets
-- @keys    state packets gate
-- @args    status cursorBefore cursorAfter pace stateFormat packetText
-- @returns packetCursor
--
--   rp:{shard}:<activityId>:state    hash  status, packetCursor, loaded, pace, format
--   rp:{shard}:<activityId>:packets  list
--   rp:{shard}:<activityId>:gate     string
--
-- Appends one page of packets, exactly once, while the activity has this status. O(packets).
--
--   status  "loading"; or "open" for packets that were added to an activity which is loaded
--           already. Users draw from that one meanwhile, so a page should be small. A page that
--           comes after the close changes nothing
--
-- The cursor is the number of the last packet that is loaded, or claimed and so left out; a page
-- may be empty. A page is taken only if the cursor is at its beginning, so a page that is sent
-- again after a lost reply, or by a second loader, changes nothing.
--
-- Plans by which packets are released come with the packets, so none of these is drawn before its
-- time; a gate, which knows nothing of these plans, is removed. Packets of a plan that come with
-- later pages are held back already: until all are loaded, other free packets are not drawn either.
--
-- The packets are one text, "<no>:<amountMinor> <no>:<amountMinor> ...": taking it apart here costs
-- a third of what it costs the client to send every packet as an argument.

local state = redis.call('HMGET', state_key, 'status', 'packetCursor', 'format')
if state[1] == status and state[2] == cursor_before then
  local packets = {}
  for packet in string.gmatch(packet_text, '%S+') do
    packets[#packets + 1] = packet
  end
  if pace ~= '' then
    redis.call('HSET', state_key, 'pace', pace, 'format', math.max(tonumber(state_format), tonumber(state[3] or '1')))
    redis.call('DEL', gate_key)
  end
  if #packets > 0 then
    redis.call('RPUSH', packets_key, unpack(packets))
    redis.call('HINCRBY', state_key, 'loaded', #packets)
  end
  redis.call('HSET', state_key, 'packetCursor', cursor_after)
end
return redis.call('HGET', state_key, 'packetCursor')
