-- @script  tidy-up
-- @keys    state packets claims
-- @args    claimCount
-- @returns status
--
--   rp:{shard}:<activityId>:state    hash  status
--   rp:{shard}:<activityId>:packets  list
--   rp:{shard}:<activityId>:claims   hash  userId -> packet
--
-- The last step of a close, after all claims (so many) were written: the packets are forgotten, and whoever holds none
-- may hear "closed". O(1) (the list is freed in the background), idempotent.
--
-- A state that is gone stays gone, and claims that are gone keep it "closing": Redis has forgotten everything meanwhile.

redis.call('UNLINK', KEYS[2])
local status = redis.call('HGET', KEYS[1], 'status')
if status == 'closing' and redis.call('HLEN', KEYS[3]) >= tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'status', 'closed')
  return 'closed'
end
return status
