#!lua flags=allow-oom
-- @script  latest-calls
-- @keys    calls
-- @args    kept
-- @returns call*
--
--   rp:{00}:calls  list  the newest first
--
-- O(kept). It counts as a write, so that a server which takes none refuses it: a call that cannot be
-- noted must not be recorded either.

redis.call('LTRIM', calls_key, 0, tonumber(kept) - 1)
return redis.call('LRANGE', calls_key, 0, -1)
