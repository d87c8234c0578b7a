#!lua flags=allow-oom
-- @script  latest-calls
-- @keys    calls
-- @args    none
-- @returns call*
--
--   rp:{00}:calls  list  the newest first
--
-- O(calls). It does not say that it only reads, so that a server which takes no writes refuses it: a
-- call that cannot be noted must not be recorded either.

return redis.call('LRANGE', calls_key, 0, -1)
