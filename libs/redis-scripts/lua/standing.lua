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

local fields = redis.call('HMGET', state_key, unpack(ARGV))
return { redis.call('GET', installation_key), fields, redis.call('LLEN', packets_key), redis.call('HLEN', claims_key) }
