#!lua flags=no-writes
-- @script  shard-notes
-- @keys    (installation trust)*
-- @args    none
-- @returns serverId (owner server history flushed)*
--
--   rp:{shard}:installation  string
--   rp:{shard}:trust         hash    server: the one that was last given everything that Postgres
--                                    knows about this shard; history: the history of Postgres that
--                                    it was given; flushed: how far that had come, 16 hex digits
--
-- Reads the notes of shards about their own memory, and the server that they are on, all at one
-- moment. O(shards).
--
-- serverId identifies a server from its start to its end, or to the moment when it becomes the
-- replica of another one: when it serves again after that, it has missed something. Therefore it is
-- "<run id>.<replication id>": after A gave way to B and B to A, the run id of A is the same. A server
-- that has evicted keys has forgotten as well; their number follows.

local info = redis.call('INFO', 'server', 'replication', 'stats')
local run_id = string.match(info, 'run_id:(%w+)') or 'unknown'
local replication_id = string.match(info, 'master_replid:(%w+)') or 'unknown'
local evicted = string.match(info, 'evicted_keys:([1-9]%d*)')
local notes = { run_id .. '.' .. replication_id .. (evicted and '.' .. evicted or '') }
for i = first_key, #KEYS, 2 do
  local trust = redis.call('HMGET', KEYS[i + 1], 'server', 'history', 'flushed')
  table.insert(notes, { redis.call('GET', KEYS[i]), trust[1], trust[2], trust[3] })
end
return notes
