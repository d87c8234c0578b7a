#!lua
-- @script  append-events
-- @keys    lastId inbox*
-- @args    publish wakeChannel keptCount (topic event)*
-- @returns appended
--
--   rp:{events}:lastId               string
--   rp:{events}:inbox:<topic>        stream  events of one topic: event -> JSON
--
-- Puts events into the inboxes that are open, and wakes the processes that wait for them.
-- O(events).
--
-- An inbox that is not open is not created: an event without listeners costs no memory. A wake-up
-- is only a hint and names the topics, separated by spaces. In a cluster publish is "SPUBLISH",
-- which reaches the nodes of this slot alone; a cluster that does not have it yet sends every
-- wake-up to every node.

local last = tonumber(redis.call('GET', last_id_key) or '0')
local clock = redis.call('TIME')
last = math.max(last, clock[1] * 1000000 + clock[2])
local topics, appended = {}, 0
for i = 0, #KEYS - first_key do
  local inbox_key, topic, event = KEYS[first_key + i], ARGV[first_arg + 2 * i], ARGV[first_arg + 2 * i + 1]
  if redis.call('EXISTS', inbox_key) == 1 then
    last = last + 1
    redis.call('XADD', inbox_key, 'MAXLEN', '~', kept_count, string.format('%.0f-0', last), 'event', event)
    appended = appended + 1
    topics[appended] = topic
  end
end
if appended > 0 then
  redis.call('SET', last_id_key, string.format('%.0f', last))
  local sent = redis.pcall(publish, wake_channel, table.concat(topics, ' '))
  if type(sent) ~= 'number' then
    redis.call('PUBLISH', wake_channel, table.concat(topics, ' '))
  end
end
return appended
