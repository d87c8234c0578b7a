#!lua flags=no-writes
-- @script  server-facts
-- @keys    any
-- @args    none
-- @returns nowMs evictionPolicy usedMemory maxMemory
--
-- Reads the facts of the server that holds this key. O(1). It uses INFO rather than CONFIG, which
-- managed services often forbid.
--
-- It is a script, because a cluster's client sends TIME and INFO to a node of its own choice.

local clock = redis.call('TIME')
local memory = redis.call('INFO', 'memory')
return {
  clock[1] * 1000 + math.floor(clock[2] / 1000),
  string.match(memory, 'maxmemory_policy:(%S+)') or 'unknown',
  tonumber(string.match(memory, '\nused_memory:(%d+)')) or 0,
  tonumber(string.match(memory, '\nmaxmemory:(%d+)')) or 0,
}
