#!lua flags=no-writes
-- @script  standing
-- @keys    installation (state packets claims waitlist)*
-- @args    field*
-- @returns whose nowMs (fields packetsLeft held waiting)*
--
--   rp:{shard}:installation           string
--   rp:{shard}:<activityId>:state     hash
--   rp:{shard}:<activityId>:packets   list
--   rp:{shard}:<activityId>:claims    hash
--   rp:{shard}:<activityId>:waitlist  zset
--
-- Reads the states of activities of one shard, its owner, and the time of the server, all at one
-- moment. O(activities * fields). It is a script and not a transaction, because a server whose
-- memory is full refuses every command of a transaction, even those that only read. It is not
-- several commands, because a cluster's client follows the redirection of one.
--
-- A key of another type is an error of its own activity, and of no other.

local clock = redis.call('TIME')
local reply = { redis.call('GET', installation_key), clock[1] * 1000 + math.floor(clock[2] / 1000) }
for key = first_key, #KEYS, 4 do
  reply[#reply + 1] = redis.pcall('HMGET', KEYS[key], unpack(ARGV))
  reply[#reply + 1] = redis.pcall('LLEN', KEYS[key + 1])
  reply[#reply + 1] = redis.pcall('HLEN', KEYS[key + 2])
  reply[#reply + 1] = redis.pcall('ZCARD', KEYS[key + 3])
end
return reply
