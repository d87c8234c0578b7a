#!lua
-- @script  open-inboxes
-- @keys    lastId listening lostUpTo open inbox*
-- @args    keptMs openMax topic*
-- @returns position lostUpTo oldest*
--
--   rp:{events}:lastId               string  the highest id of any event
--   rp:{events}:listening            string  exists while any inbox is open
--   rp:{events}:lostUpTo             string  the position before which events were dropped
--   rp:{events}:open                 zset    topics of inboxes, by the moment of their end
--   rp:{events}:inbox:<topic>        stream  events of one topic; begins with the moment of its
--                                            opening
--
-- Keeps events of these topics from now on, for keptMs unless it is called again. O(topics).
--
-- Answers the position after all events so far, the position before which some were dropped, and
-- for each inbox the id of its oldest entry: all events after both are there. Answers nothing, and
-- opens none, if more than openMax would be open.
--
-- Ids grow across all topics, by the clock in microseconds where it is ahead of the last one. So
-- one position says what a client has seen of all its topics, and a server that has lost its memory
-- does not give an id again.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZREMRANGEBYSCORE', open_key, '-inf', now)
local open = redis.call('ZCARD', open_key)
for i = first_arg, #ARGV do
  if not redis.call('ZSCORE', open_key, ARGV[i]) then
    open = open + 1
    if open > tonumber(open_max) then
      return {}
    end
  end
end

local last = math.max(tonumber(redis.call('GET', last_id_key) or '0'), clock[1] * 1000000 + clock[2])
local position = string.format('%.0f-0', last)
redis.call('SET', last_id_key, string.format('%.0f', last))
redis.call('SET', listening_key, '', 'PX', kept_ms)

local answers = { position, redis.call('GET', lost_up_to_key) or '0' }
for i = 0, #KEYS - first_key do
  local inbox_key, topic = KEYS[first_key + i], ARGV[first_arg + i]
  local oldest = redis.call('XRANGE', inbox_key, '-', '+', 'COUNT', 1)[1]
  answers[#answers + 1] = oldest and oldest[1] or redis.call('XADD', inbox_key, position, 'opened', '')
  redis.call('PEXPIRE', inbox_key, kept_ms)
  redis.call('ZADD', open_key, now + kept_ms, topic)
end
return answers
