-- @script  append-events
-- @keys    lastId inbox*
-- @args    wakeChannel keptCount (topic event)*
-- @returns appended
--
--   rp:{events}:lastId               string
--   rp:{events}:inbox:<topic>        stream  events of one topic: event -> JSON
--
-- Puts events into the inboxes that somebody has opened, and wakes those who wait for them. O(events).
--
-- An inbox that nobody has opened is not created: what nobody listens to costs no memory.
-- A wake-up is only a hint and names the topics, separated by spaces.

local last = tonumber(redis.call('GET', KEYS[1]) or '0')
local clock = redis.call('TIME')
last = math.max(last, clock[1] * 1000000 + clock[2])
local topics, appended = {}, 0
for i = 2, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 1 then
    last = last + 1
    redis.call('XADD', KEYS[i], 'MAXLEN', '~', ARGV[2], string.format('%.0f-0', last), 'event', ARGV[2 * i])
    appended = appended + 1
    topics[appended] = ARGV[2 * i - 1]
  end
end
if appended > 0 then
  redis.call('SET', KEYS[1], string.format('%.0f', last))
  redis.call('PUBLISH', ARGV[1], table.concat(topics, ' '))
end
return appended
