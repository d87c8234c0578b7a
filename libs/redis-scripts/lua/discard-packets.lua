-- @script  discard-packets
-- @keys    state gate packets
-- @args    none
-- @returns status
--
--   rp:{shard}:<activityId>:state    hash    status
--   rp:{shard}:<activityId>:gate     string
--   rp:{shard}:<activityId>:packets  list
--
-- Removes everything that could be drawn from an activity that has ended in Postgres. O(1) (the
-- list is freed in the background), idempotent.
--
-- It deletes and writes nothing, because a full Redis refuses every command that may need memory,
-- and this script is how it gets memory back. A state that still says "open" or "loading" is
-- deleted as well: its grabs would be answered "sold-out". Without it, grabs go to Postgres.

local status = redis.call('HGET', state_key, 'status')
redis.call('UNLINK', gate_key, packets_key)
if status == 'open' or status == 'loading' then
  redis.call('UNLINK', state_key)
  return false
end
return status
