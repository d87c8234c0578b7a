#!lua
-- @script  tell-loss
-- @keys    lastId lostUpTo
-- @args    publish wakeChannel everybody keptMs
-- @returns position
--
--   rp:{events}:lastId               string  the highest id of any event
--   rp:{events}:lostUpTo             string  the position before which events were dropped
--
-- Notes that events were dropped: listeners learn it now, and clients that are away learn it when they
-- come back. O(1). append-events.lua explains publish.

local clock = redis.call('TIME')
local last = math.max(tonumber(redis.call('GET', last_id_key) or '0'), clock[1] * 1000000 + clock[2]) + 1
local position = string.format('%.0f', last)
redis.call('SET', last_id_key, position)
redis.call('SET', lost_up_to_key, position, 'PX', kept_ms)
local sent = redis.pcall(publish, wake_channel, everybody)
if type(sent) ~= 'number' then
  redis.call('PUBLISH', wake_channel, everybody)
end
return position
