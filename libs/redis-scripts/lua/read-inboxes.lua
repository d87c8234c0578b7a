#!lua flags=no-writes
-- @script  read-inboxes
-- @keys    inbox*
-- @args    position countMax
-- @returns (entries)*
--
--   rp:{events}:inbox:<topic>        stream
--
-- Reads the events that came into inboxes after a position, all of them at the same moment.
-- O(events).
--
-- It is one step, because the position that a client reaches stands for all of its topics: an event
-- that came into one of them between two reads would be skipped.

local answers = {}
for i, inbox in ipairs(KEYS) do
  answers[i] = redis.call('XRANGE', inbox, '(' .. position, '+', 'COUNT', count_max)
end
return answers
