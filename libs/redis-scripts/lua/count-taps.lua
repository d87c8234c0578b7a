-- @script  count-taps
-- @keys    taps
-- @args    keptSeconds (what count)*
-- @returns nothing
--
--   rp:{shard}:taps:<activityId>  hash  what -> how many
--
-- Adds what one process has counted. O(fields). Statistics, which nothing relies on: they go by themselves when nobody has
-- tapped for a while, and a process that dies takes its last second along.

for i = first_arg, #ARGV, 2 do
  redis.call('HINCRBY', taps_key, ARGV[i], ARGV[i + 1])
end
redis.call('EXPIRE', taps_key, tonumber(kept_seconds))
