-- @script  raise-mark
-- @keys    history
-- @args    id flushed
-- @returns raised
--
--   rp:{shard}:history  hash  id of the history of Postgres that Redis was told; flushed, how far it had come, 16 hex digits
--
-- Notes how far Postgres has come, if it is the history that Redis was told. O(1).
--
-- The mark only rises: a process that has seen a Postgres without its last commits must not hide from the others that
-- they are missing.

local noted = redis.call('HMGET', history_key, 'id', 'flushed')
if noted[1] ~= id or not noted[2] or noted[2] >= flushed then
  return 0
end
redis.call('HSET', history_key, 'flushed', flushed)
return 1
