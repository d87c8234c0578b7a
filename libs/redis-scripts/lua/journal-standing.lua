-- @script  journal-standing
-- @keys    installation journal quarantine
-- @args    none
-- @returns whose entries quarantined oldestId nowMs
--
--   rp:{shard}:installation  string
--   rp:{shard}:journal       stream
--   rp:{shard}:quarantine    stream
--
-- Reads how long a journal is and how old, and whose the shard is, all at one moment. O(1). About a script see standing.lua.

local oldest = redis.call('XRANGE', journal_key, '-', '+', 'COUNT', 1)[1]
local clock = redis.call('TIME')
return {
  redis.call('GET', installation_key),
  redis.call('XLEN', journal_key),
  redis.call('XLEN', quarantine_key),
  oldest and oldest[1] or '',
  clock[1] * 1000 + math.floor(clock[2] / 1000),
}
