#!lua flags=allow-oom
-- @script  discard-packets
-- @keys    state gate packets waitlist
-- @args    none
-- @returns status
--
--   rp:{shard}:<activityId>:state     hash    status
--   rp:{shard}:<activityId>:gate      string
--   rp:{shard}:<activityId>:packets   list
--   rp:{shard}:<activityId>:waitlist  zset
--
-- Removes everything that could be drawn from an activity that has ended in Postgres, and the users
-- who wait for it. O(1) (both are freed in the background), idempotent.
--
-- It only deletes, and a full server runs it (allow-oom): this script is how it gets memory back. A
-- state that still says "open" or "loading" is deleted as well: its grabs would be answered
-- "sold-out". Without it, grabs go to Postgres.

local status = redis.call('HGET', state_key, 'status')
redis.call('UNLINK', gate_key, packets_key, waitlist_key)
if status == 'open' or status == 'loading' then
  redis.call('UNLINK', state_key)
  return false
end
return status
