#!lua flags=allow-oom
-- @script  tidy-up
-- @keys    state claims
-- @args    claimCount
-- @returns status
--
--   rp:{shard}:<activityId>:state   hash  status, claimed
--   rp:{shard}:<activityId>:claims  hash  userId -> packet
--
-- The last step of tidying up, once all claimCount claims are written: users without one may be
-- answered "closed". The number is kept, so that a later loss of the claims is seen. O(1), idempotent.
--
-- A state that is gone stays gone. Claims that are gone keep it "closing": Redis has forgotten
-- everything meanwhile.

local state = redis.call('HMGET', state_key, 'status', 'claimed')
local status = state[1]
if status and state[2] ~= claim_count then
  redis.call('HSET', state_key, 'claimed', claim_count)
end
if status == 'closing' and redis.call('HLEN', claims_key) >= tonumber(claim_count) then
  redis.call('HSET', state_key, 'status', 'closed')
  return 'closed'
end
return status
