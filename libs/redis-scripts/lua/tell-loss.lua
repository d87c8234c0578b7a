-- @script  tell-loss
-- @keys    lastId lostUpTo
-- @args    wakeChannel everybody keptMs
-- @returns position
--
--   rp:{events}:lastId               string  the highest id of any event
--   rp:{events}:lostUpTo             string  the position before which events were dropped
--
-- Says that events were dropped: those who listen hear it now, those who are away when they come back. O(1).

local clock = redis.call('TIME')
local last = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), clock[1] * 1000000 + clock[2]) + 1
local position = string.format('%.0f', last)
redis.call('SET', KEYS[1], position)
redis.call('SET', KEYS[2], position, 'PX', ARGV[3])
redis.call('PUBLISH', ARGV[1], ARGV[2])
return position
