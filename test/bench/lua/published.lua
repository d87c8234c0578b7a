-- The widely published script of this field, rewritten from its description.
--
--   KEYS[1]  list  packets, each a JSON text {"id":..,"amount":..}
--   KEYS[2]  list  packets with their winners, as JSON
--   KEYS[3]  hash  userId -> userId
--   ARGV[1]  userId
--
-- Answers the packet as JSON, or nil to a user who holds one already and when no packet is left.

if redis.call('HEXISTS', KEYS[3], ARGV[1]) == 1 then
  return nil
end

local text = redis.call('RPOP', KEYS[1])
if not text then
  return nil
end

local packet = cjson.decode(text)
packet.userId = ARGV[1]
local won = cjson.encode(packet)
redis.call('HSET', KEYS[3], ARGV[1], ARGV[1])
redis.call('LPUSH', KEYS[2], won)
return won
