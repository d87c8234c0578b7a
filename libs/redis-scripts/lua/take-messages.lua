-- @script  take-messages
-- @keys    done mark*
-- @args    taker leaseMs messageId*
-- @returns mark*
--
--   rp:{events}:done                 zset    messages that were pushed, by the moment
--   rp:{events}:mark:<messageId>     string  who pushes the message, for the length of their lease
--
-- Decides who pushes messages: the first one who asks. O(messages * log(done)).
--
-- Answers who has each message from now on. Its own name tells the taker to push; another's, to leave the message alone
-- until that lease has run out; "done", that it has been pushed.

local answers = {}
for i = 2, #KEYS do
  if redis.call('ZSCORE', KEYS[1], ARGV[i + 1]) then
    answers[i - 1] = 'done'
  elseif redis.call('SET', KEYS[i], ARGV[1], 'NX', 'PX', ARGV[2]) then
    answers[i - 1] = ARGV[1]
  else
    answers[i - 1] = redis.call('GET', KEYS[i])
  end
end
return answers
