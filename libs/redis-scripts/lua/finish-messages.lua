-- @script  finish-messages
-- @keys    messages done mark*
-- @args    keptMs keptMax (entryId messageId)*
-- @returns removed
--
--   rp:{events}:messages             stream  messages that nobody has pushed yet
--   rp:{events}:done                 zset    messages that were pushed, by the moment
--   rp:{events}:mark:<messageId>     string
--
-- Takes messages off the list of those still to be pushed, and remembers that they were. O(messages * log(done)).
--
-- What was pushed is remembered longer than the message, because its publisher may publish it again; the last keptMax are
-- kept, for keptMs after the last one. Memory is freed before any is taken: a full server refuses a script that begins
-- otherwise.

local removed = 0
for i = 3, #KEYS do
  removed = removed + redis.call('XDEL', KEYS[1], ARGV[2 * i - 3])
  redis.call('DEL', KEYS[i])
end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
for i = 3, #KEYS do
  redis.call('ZADD', KEYS[2], now, ARGV[2 * i - 2])
end
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[2]))
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return removed
