#!lua
-- @script  count-taps
-- @keys    taps state
-- @args    keptSeconds (what count)*
-- @returns nothing
--
--   rp:{shard}:taps:<activityId>   hash  what -> how many
--   rp:{shard}:<activityId>:state  hash
--
-- Adds what one process has counted. O(fields). Nothing relies on these statistics: they expire
-- when no user has tapped for a while, and a process that dies loses its last second.
--
-- Taps of an activity that is not here are counted only where some were counted before. Otherwise a
-- user could fill this server with the ids of rains that ended long ago.

if redis.call('EXISTS', taps_key, state_key) == 0 then
  return
end

for i = first_arg, #ARGV, 2 do
  redis.call('HINCRBY', taps_key, ARGV[i], ARGV[i + 1])
end
redis.call('EXPIRE', taps_key, tonumber(kept_seconds))
