#!lua flags=no-writes
-- @script  journal-standing
-- @keys    installation journal quarantine
-- @args    none
-- @returns whose entries quarantined oldestId nowMs
--
--   rp:{shard}:installation  string
--   rp:{shard}:journal       stream
--   rp:{shard}:quarantine    stream
--
-- Reads the length and the age of a journal, and the owner of the shard, all at one moment. O(1).
-- standing.lua explains why this is a script.

local oldest = redis.call('XRANGE', journal_key, '-', '+', 'COUNT', 1)[1]
local clock = redis.call('TIME')
return {
  redis.call('GET', installation_key),
  redis.call('XLEN', journal_key),
  redis.call('XLEN', quarantine_key),
  oldest and oldest[1] or '',
  clock[1] * 1000 + math.floor(clock[2] / 1000),
}
