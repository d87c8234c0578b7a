#!lua
-- @script  take-messages
-- @keys    done mark*
-- @args    taker leaseMs messageId*
-- @returns mark*
--
--   rp:{events}:done                 zset    messages that were pushed, by the moment
--   rp:{events}:mark:<messageId>     string  the process that pushes the message, until its lease
--                                            ends
--
-- Decides which process pushes each message: the first one that asks. O(messages * log(done)).
--
-- Answers the process that has each message from now on. The taker's own name means: push it.
-- Another name means: leave it alone until that lease has run out. "done" means that it was pushed.
-- A lease that lasts longer than any can was taken while the clock of this server was ahead, and is
-- taken over.

local lease = tonumber(lease_ms)
local answers = {}
for i = 0, #KEYS - first_key do
  local mark_key, message_id = KEYS[first_key + i], ARGV[first_arg + i]
  if redis.call('ZSCORE', done_key, message_id) then
    answers[i + 1] = 'done'
  else
    local last_taker = redis.call('GET', mark_key)
    local remaining = redis.call('PTTL', mark_key)
    if remaining < 0 or remaining > lease then
      redis.call('SET', mark_key, taker, 'PX', lease_ms)
      last_taker = taker
    end
    answers[i + 1] = last_taker
  end
end
return answers
