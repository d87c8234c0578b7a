-- @script  tidy-up
-- @keys    state packets
-- @args    -
-- @returns status
--
--   rp:{shard}:<activityId>:state    hash  status
--   rp:{shard}:<activityId>:packets  list
--
-- The last step of a close, after all claims were written: the packets are forgotten, and whoever holds none may hear
-- "closed". O(1) (the list is freed in the background), idempotent.
--
-- A state that is gone stays gone: the claims written before may be gone with it.

redis.call('UNLINK', KEYS[2])
local status = redis.call('HGET', KEYS[1], 'status')
if status == 'closing' then
  redis.call('HSET', KEYS[1], 'status', 'closed')
  return 'closed'
end
return status
