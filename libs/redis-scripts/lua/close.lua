-- @script  close
-- @keys    state gate
-- @args    when opensAt closesAt
-- @returns ending
--
--   rp:{shard}:<activityId>:state  hash    status, opensAt, closesAt, ending, endedAt
--   rp:{shard}:<activityId>:gate   string
--
-- Refuses every further grab of an activity. O(1), idempotent.
--
--   when  "any-time"; "before-opening" (a cancellation): only while this server's clock has not reached opensAt;
--         "after-closing" (the sweeper): only once it has reached closesAt
--
-- Answers how the activity has ended, "closed" or "cancelled", or "not-now" when the clock says no. The first ending
-- stands: whoever finishes the work of a closer that crashed does what that one had begun.
--
-- An activity that Redis does not know, or not completely, ends just the same, so that a loader which is still on its way
-- cannot open it. But its status is "closing": winners may be missing among its claims, and must not hear "closed".

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local state = redis.call('HMGET', KEYS[1], 'status', 'ending')
local known, ending = state[1] == 'open', state[2]
if ending then
  return ending
end

local too_late = ARGV[1] == 'before-opening' and now >= tonumber(ARGV[2])
local too_early = ARGV[1] == 'after-closing' and now < tonumber(ARGV[3])
if too_late or too_early then
  return 'not-now'
end

local status = known and 'closed' or 'closing'
ending = ARGV[1] == 'before-opening' and 'cancelled' or 'closed'
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[1], 'status', status, 'opensAt', ARGV[2], 'closesAt', ARGV[3], 'ending', ending, 'endedAt', now)
return ending
