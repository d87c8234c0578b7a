-- @script  close
-- @keys    state
-- @args    when opensAt closesAt
-- @returns ending
--
--   rp:{shard}:<activityId>:state  hash  status, opensAt, closesAt, ending, endedAt
--
-- Refuses every further grab of an activity. O(1), idempotent.
--
--   when  "any-time"; "before-opening" (a cancellation): only while this server's clock has not reached opensAt;
--         "after-closing" (the sweeper): only once it has reached closesAt
--
-- Answers how the activity has ended, "closed" or "cancelled", or "not-now" when the clock says no. The first ending
-- stands: whoever finishes the work of a closer that crashed does what that one had begun. An activity that Redis does
-- not know is closed just the same, so that a loader which is still on its way cannot open it.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local ending = redis.call('HGET', KEYS[1], 'ending')
if ending then
  return ending
end

local too_late = ARGV[1] == 'before-opening' and now >= tonumber(ARGV[2])
local too_early = ARGV[1] == 'after-closing' and now < tonumber(ARGV[3])
if too_late or too_early then
  return 'not-now'
end

ending = ARGV[1] == 'before-opening' and 'cancelled' or 'closed'
redis.call('HSET', KEYS[1], 'status', 'closed', 'opensAt', ARGV[2], 'closesAt', ARGV[3], 'ending', ending, 'endedAt', now)
return ending
