-- @script  take-messages
-- @keys    mark*
-- @args    taker leaseMs
-- @returns mark*
--
--   rp:{events}:mark:<messageId>     string  who pushes the message, for the length of his lease; "done" afterwards
--
-- Decides who pushes messages: the first one who asks. O(messages).
--
-- Answers what stands in each mark from now on. His own name tells the taker to push; another one's to leave the message
-- alone until that lease has run out; "done" that it has been pushed.

local answers = {}
for i, mark in ipairs(KEYS) do
  if redis.call('SET', mark, ARGV[1], 'NX', 'PX', ARGV[2]) then
    answers[i] = ARGV[1]
  else
    answers[i] = redis.call('GET', mark)
  end
end
return answers
