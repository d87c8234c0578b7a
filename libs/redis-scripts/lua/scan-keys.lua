-- @script  scan-keys
-- @keys    any
-- @args    cursor pattern countMax
-- @returns cursor key*
--
-- A page of the names of all keys on the server that holds this one. O(countMax).
--
-- A script, because a cluster's client sends SCAN to whichever node it likes.

return redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', count_max)
