-- @script  load-begin
-- @keys    state gate packets claims waitlist
-- @args    opensAt closesAt
-- @returns status packetCursor
--
--   rp:{shard}:<activityId>:state     hash  status, opensAt, closesAt, packetCursor, loaded, waiting
--   rp:{shard}:<activityId>:gate      string
--   rp:{shard}:<activityId>:packets   list
--   rp:{shard}:<activityId>:claims    hash
--   rp:{shard}:<activityId>:waitlist  zset
--
-- Begins to load an activity, or finds where an interrupted load stopped. O(1).
--
-- Status "loading" means: go on behind packetCursor. Any other status means that there is nothing to load.
-- Leftovers without a state (a partly lost data set) are cleared, because their completeness is unknown; a million packets
-- are freed behind everybody's back, for freeing them here would hold up all others. Whoever waits waits on: when the
-- activity opens again, packets are spoken for as before.

local status = redis.call('HGET', KEYS[1], 'status')
if not status then
  redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[1], 'status', 'loading', 'opensAt', ARGV[1], 'closesAt', ARGV[2], 'packetCursor', 0, 'loaded', 0)
  local waiting = redis.call('ZCARD', KEYS[5])
  if waiting > 0 then
    redis.call('HSET', KEYS[1], 'waiting', waiting)
  end
  status = 'loading'
end
return { status, redis.call('HGET', KEYS[1], 'packetCursor') }
