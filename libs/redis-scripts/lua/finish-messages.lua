#!lua flags=allow-oom
-- @script  finish-messages
-- @keys    messages done mark*
-- @args    keptMs keptMax (entryId messageId)*
-- @returns removed
--
--   rp:{events}:messages             stream  messages that were not pushed yet
--   rp:{events}:done                 zset    messages that were pushed, by the moment
--   rp:{events}:mark:<messageId>     string
--
-- Takes messages off the list of those still to be pushed, and remembers that they were. O(messages
-- * log(done)).
--
-- A pushed message is remembered longer than it is kept, because its publisher may publish it
-- again; the last keptMax are remembered, for keptMs after the last one. A full server runs this as
-- well (allow-oom), because it frees more than it takes.

local removed = 0
for i = 0, #KEYS - first_key do
  removed = removed + redis.call('XDEL', messages_key, ARGV[first_arg + 2 * i])
  redis.call('DEL', KEYS[first_key + i])
end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
for i = first_arg + 1, #ARGV, 2 do
  redis.call('ZADD', done_key, now, ARGV[i])
end
redis.call('ZREMRANGEBYRANK', done_key, 0, -1 - tonumber(kept_max))
redis.call('PEXPIRE', done_key, kept_ms)
return removed
