#!lua flags=allow-oom
-- @script  note-call
-- @keys    calls
-- @args    kept call
-- @returns nothing
--
--   rp:{00}:calls  list  the newest first
--
-- Remembers a call, and forgets the oldest one. O(1). A full server runs this as well (allow-oom):
-- the list has a bound.

redis.call('LPUSH', calls_key, call)
redis.call('LTRIM', calls_key, 0, tonumber(kept) - 1)
