-- @script  load-begin
-- @keys    state gate packets claims
-- @args    opensAt closesAt
-- @returns status packetCursor
--
--   rp:{shard}:<activityId>:state    hash  status, opensAt, closesAt, packetCursor, loaded
--   rp:{shard}:<activityId>:gate     string
--   rp:{shard}:<activityId>:packets  list
--   rp:{shard}:<activityId>:claims   hash
--
-- Begins to load an activity, or finds where an interrupted load stopped. O(1).
--
-- Status "loading" means: go on behind packetCursor. Any other status means that there is nothing to load.
-- Leftovers without a state (a partly lost data set) are cleared, because their completeness is unknown; a million packets
-- are freed behind everybody's back, for freeing them here would hold up all others.

local status = redis.call('HGET', KEYS[1], 'status')
if not status then
  redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[1], 'status', 'loading', 'opensAt', ARGV[1], 'closesAt', ARGV[2], 'packetCursor', 0, 'loaded', 0)
  status = 'loading'
end
return { status, redis.call('HGET', KEYS[1], 'packetCursor') }
