#!lua
-- @script  raise-mark
-- @keys    trust
-- @args    history flushed
-- @returns raised
--
--   rp:{shard}:trust  hash  history: the history of Postgres that the shard was given; flushed: how
--                           far that had come, 16 hex digits
--
-- Notes how far Postgres has come, if its history is the one that the shard was given. O(1).
--
-- The mark only rises: a process that has seen a Postgres without its last commits must not hide
-- from the others that they are missing.

local noted = redis.call('HMGET', trust_key, 'history', 'flushed')
if noted[1] ~= history or not noted[2] or noted[2] >= flushed then
  return 0
end
redis.call('HSET', trust_key, 'flushed', flushed)
return 1
