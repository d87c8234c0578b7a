#!lua flags=allow-oom
-- @script  leave-waitlist
-- @keys    waitlist
-- @args    userId*
-- @returns left
--
--   rp:{shard}:<activityId>:waitlist  zset  users who wait and hold no packet
--
-- Ends the wait of users about whom Postgres has decided in another part. O(users * log users who
-- wait), idempotent. A full server runs this as well (allow-oom): it frees memory.

return redis.call('ZREM', waitlist_key, unpack(ARGV, first_arg))
