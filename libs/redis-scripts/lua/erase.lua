-- @script  erase
-- @keys    waiting key*
-- @args    activityId*
-- @returns erased
--
--   rp:{shard}:waiting         set  activities with a waiting list
--   rp:{shard}:<activityId>:*
--
-- Frees keys of activities in the background, and removes those named from the ones with a waiting list. O(keys). It
-- only deletes, so that it works when memory is full.

if #ARGV > 0 then
  redis.call('SREM', waiting_key, unpack(ARGV))
end
return redis.call('UNLINK', unpack(KEYS, first_key))
