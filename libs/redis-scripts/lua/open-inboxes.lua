-- @script  open-inboxes
-- @keys    lastId listening inbox*
-- @args    keptMs
-- @returns position oldest*
--
--   rp:{events}:lastId               string  the highest id of any event
--   rp:{events}:listening            string  is there while anybody listens to anything
--   rp:{events}:inbox:<topic>        stream  events of one topic; begins with the moment of its opening
--
-- Makes sure that events of these topics are kept from now on, for keptMs unless it is called again. O(topics).
--
-- Answers the position behind all events so far, and for each inbox the id of its oldest entry: events behind that one
-- are all there.
--
-- Ids grow over all topics, by the clock in microseconds where it is ahead of the last one: one position tells what a
-- client has seen of all its topics, and a server that has lost its memory does not count again what was told before.

local clock = redis.call('TIME')
local last = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), clock[1] * 1000000 + clock[2])
local position = string.format('%.0f-0', last)
redis.call('SET', KEYS[1], string.format('%.0f', last))
redis.call('SET', KEYS[2], '', 'PX', ARGV[1])

local answers = { position }
for i = 3, #KEYS do
  local oldest = redis.call('XRANGE', KEYS[i], '-', '+', 'COUNT', 1)[1]
  answers[i - 1] = oldest and oldest[1] or redis.call('XADD', KEYS[i], position, 'opened', '')
  redis.call('PEXPIRE', KEYS[i], ARGV[1])
end
return answers
