-- @script  standing
-- @keys    installation state packets claims
-- @args    field*
-- @returns whose fields packetsLeft held
--
--   rp:{shard}:installation          string
--   rp:{shard}:<activityId>:state    hash
--   rp:{shard}:<activityId>:packets  list
--   rp:{shard}:<activityId>:claims   hash
--
-- Reads how an activity stands, and whose the shard is, all at one moment. O(fields). A script and not a transaction, because
-- a server whose memory is full refuses every command of a transaction, even those that only read.

local fields = redis.call('HMGET', KEYS[2], unpack(ARGV))
return { redis.call('GET', KEYS[1]), fields, redis.call('LLEN', KEYS[3]), redis.call('HLEN', KEYS[4]) }
