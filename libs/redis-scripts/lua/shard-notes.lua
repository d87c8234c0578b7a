#!lua flags=no-writes
-- @script  shard-notes
-- @keys    installation trust
-- @args    none
-- @returns owner serverId server history flushed
--
--   rp:{shard}:installation  string
--   rp:{shard}:trust         hash    server: the one that was last given everything that Postgres
--                                    knows about this shard; history: the history of Postgres that
--                                    it was given; flushed: how far that had come, 16 hex digits
--
-- Reads the notes of a shard about its own memory, and the server that it is on, all at one moment.
-- O(1).
--
-- serverId identifies a server from its start to its end, or to the moment when it becomes the
-- replica of another one: when it serves again after that, it has missed something. Therefore it is
-- "<run id>.<replication id>": after A gave way to B and B to A, the run id of A is the same.

local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or 'unknown'
local replication_id = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)') or 'unknown'
local trust = redis.call('HMGET', trust_key, 'server', 'history', 'flushed')
return { redis.call('GET', installation_key), run_id .. '.' .. replication_id, trust[1], trust[2], trust[3] }
