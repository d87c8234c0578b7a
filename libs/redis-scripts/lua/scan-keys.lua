#!lua flags=no-writes
-- @script  scan-keys
-- @keys    any
-- @args    cursor pattern countMax
-- @returns cursor key*
--
-- Reads a page of the names of all keys on the server that holds this one. O(countMax).
--
-- It is a script, because a cluster's client sends SCAN to a node of its own choice.

return redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', count_max)
