#!lua flags=allow-oom
-- @script  erase
-- @keys    waiting key*
-- @args    activityId*
-- @returns erased
--
--   rp:{shard}:waiting         set  activities with a waiting list
--   rp:{shard}:<activityId>:*
--
-- Frees keys of activities in the background, and takes the named activities out of the set of
-- those with a waiting list. O(keys). It only deletes, and a full server runs it (allow-oom).

if #ARGV > 0 then
  redis.call('SREM', waiting_key, unpack(ARGV))
end
return redis.call('UNLINK', unpack(KEYS, first_key))
