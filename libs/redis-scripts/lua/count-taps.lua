#!lua
-- @script  count-taps
-- @keys    taps
-- @args    keptSeconds (what count)*
-- @returns nothing
--
--   rp:{shard}:taps:<activityId>  hash  what -> how many
--
-- Adds what one process has counted. O(fields). Nothing relies on these statistics: they expire
-- when no user has tapped for a while, and a process that dies loses its last second.

for i = first_arg, #ARGV, 2 do
  redis.call('HINCRBY', taps_key, ARGV[i], ARGV[i + 1])
end
redis.call('EXPIRE', taps_key, tonumber(kept_seconds))
