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
-- until that lease has run out; "done", that it has been pushed. A lease that lasts longer than any was taken while the
-- clock of this server was ahead, and is taken over.

local lease = tonumber(ARGV[2])
local answers = {}
for i = 2, #KEYS do
  if redis.call('ZSCORE', KEYS[1], ARGV[i + 1]) then
    answers[i - 1] = 'done'
  else
    local taker = redis.call('GET', KEYS[i])
    local remaining = redis.call('PTTL', KEYS[i])
    if remaining < 0 or remaining > lease then
      redis.call('SET', KEYS[i], ARGV[1], 'PX', ARGV[2])
      taker = ARGV[1]
    end
    answers[i - 1] = taker
  end
end
return answers
