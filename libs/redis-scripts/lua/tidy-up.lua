#!lua
-- @script  tidy-up
-- @keys    state claims
-- @args    claimCount
-- @returns status
--
--   rp:{shard}:<activityId>:state   hash  status
--   rp:{shard}:<activityId>:claims  hash  userId -> packet
--
-- The last step of tidying up, once all claimCount claims are written: users without one may be
-- answered "closed". O(1), idempotent.
--
-- A state that is gone stays gone. Claims that are gone keep it "closing": Redis has forgotten
-- everything meanwhile.

local status = redis.call('HGET', state_key, 'status')
if status == 'closing' and redis.call('HLEN', claims_key) >= tonumber(claim_count) then
  redis.call('HSET', state_key, 'status', 'closed')
  return 'closed'
end
return status
