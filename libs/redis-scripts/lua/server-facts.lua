-- @script  server-facts
-- @keys    any
-- @args    none
-- @returns nowMs evictionPolicy usedMemory maxMemory
--
-- What the server that holds this key says of itself. O(1). INFO and not CONFIG, which managed services often forbid.
--
-- A script, because a cluster's client sends TIME and INFO to whichever node it likes.

local clock = redis.call('TIME')
local memory = redis.call('INFO', 'memory')
return {
  clock[1] * 1000 + math.floor(clock[2] / 1000),
  string.match(memory, 'maxmemory_policy:(%S+)') or 'unknown',
  tonumber(string.match(memory, '\nused_memory:(%d+)')) or 0,
  tonumber(string.match(memory, '\nmaxmemory:(%d+)')) or 0,
}
