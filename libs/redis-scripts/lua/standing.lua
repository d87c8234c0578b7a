#!lua flags=no-writes
-- @script  standing
-- @keys    installation state packets claims
-- @args    field*
-- @returns whose fields packetsLeft held nowMs
--
--   rp:{shard}:installation          string
--   rp:{shard}:<activityId>:state    hash
--   rp:{shard}:<activityId>:packets  list
--   rp:{shard}:<activityId>:claims   hash
--
-- Reads the state of an activity, the owner of the shard, and the time of the server, all at one
-- moment. O(fields). It is a script and not a transaction, because a server whose memory is full
-- refuses every command of a transaction, even those that only read. It is not several commands,
-- because a cluster's client follows the redirection of one.

local fields = redis.call('HMGET', state_key, unpack(ARGV))
local clock = redis.call('TIME')
return {
  redis.call('GET', installation_key),
  fields,
  redis.call('LLEN', packets_key),
  redis.call('HLEN', claims_key),
  clock[1] * 1000 + math.floor(clock[2] / 1000),
}
