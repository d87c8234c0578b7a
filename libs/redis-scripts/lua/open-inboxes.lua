#!lua
-- @script  open-inboxes
-- @keys    lastId listening lostUpTo open opened inbox*
-- @args    keptMs openMax openedMax (topic mayOpen)*
-- @returns position lostUpTo oldest*
--
--   rp:{events}:lastId               string  the highest id of any event
--   rp:{events}:listening            string  exists while any inbox is open
--   rp:{events}:lostUpTo             string  the position before which events were dropped
--   rp:{events}:open                 zset    topics of inboxes, by the moment of their end
--   rp:{events}:opened:<topic>       string  the inboxes that one user has had opened lately
--   rp:{events}:inbox:<topic>        stream  events of one topic; begins with the moment of its
--                                            opening
--
-- Keeps events of these topics from now on, for keptMs unless it is called again. O(topics).
--
--   mayOpen  "1"; or "0" for a topic of which nothing new will come: its inbox is kept if it is
--            open, and not opened
--
-- Answers the position after all events so far, the position before which some were dropped, and
-- for each inbox the id of its oldest entry, "" if it is not open: all events after both are there.
-- Answers "full", and opens none, if more than openMax would be open; and "too-many" if this user
-- would have had more than openedMax opened within keptMs. An inbox that another user has had
-- opened costs nothing, so a crowd may watch one rain.
--
-- Ids grow across all topics, by the clock in microseconds where it is ahead of the last one. So
-- one position says what a client has seen of all its topics, and a server that has lost its memory
-- does not give an id again.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZREMRANGEBYSCORE', open_key, '-inf', now)
local is_kept, opening = {}, 0
for i = 0, #KEYS - first_key do
  local topic, may_open = ARGV[first_arg + 2 * i], ARGV[first_arg + 2 * i + 1]
  is_kept[i] = redis.call('ZSCORE', open_key, topic)
  if not is_kept[i] and may_open == '1' then
    is_kept[i] = true
    opening = opening + 1
  end
end
if opening > 0 then
  if redis.call('ZCARD', open_key) + opening > tonumber(open_max) then
    return { 'full' }
  end
  if tonumber(redis.call('GET', opened_key) or '0') + opening > tonumber(opened_max) then
    return { 'too-many' }
  end
  redis.call('INCRBY', opened_key, opening)
  redis.call('PEXPIRE', opened_key, kept_ms, 'NX')
end

local last = math.max(tonumber(redis.call('GET', last_id_key) or '0'), clock[1] * 1000000 + clock[2])
local position = string.format('%.0f-0', last)
redis.call('SET', last_id_key, string.format('%.0f', last))
redis.call('SET', listening_key, '', 'PX', kept_ms)

local answers = { position, redis.call('GET', lost_up_to_key) or '0' }
for i = 0, #KEYS - first_key do
  local inbox_key, topic = KEYS[first_key + i], ARGV[first_arg + 2 * i]
  if is_kept[i] then
    local oldest = redis.call('XRANGE', inbox_key, '-', '+', 'COUNT', 1)[1]
    answers[#answers + 1] = oldest and oldest[1] or redis.call('XADD', inbox_key, position, 'opened', '')
    redis.call('PEXPIRE', inbox_key, kept_ms)
    redis.call('ZADD', open_key, now + kept_ms, topic)
  else
    answers[#answers + 1] = ''
  end
end
return answers
