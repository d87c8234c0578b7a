-- @script  close
-- @keys    state gate packets claims
-- @args    ending when opensAt closesAt birth
-- @returns ending
--
--   rp:{shard}:<activityId>:state    hash    status, opensAt, closesAt, ending, endedAt, birth, owner, format
--   rp:{shard}:<activityId>:gate     string
--   rp:{shard}:<activityId>:packets  list
--   rp:{shard}:<activityId>:claims   hash    userId -> packet
--
-- Refuses every further grab of an activity. O(1), idempotent.
--
--   ending  how it ends, "closed" or "cancelled": Postgres has decided that before
--   when    "any-time"; "before-opening" (a cancellation): only while this server's clock has not reached opensAt, and
--           nobody holds a packet; "after-closing" (the sweeper): only once it has reached closesAt
--
-- Answers how the activity has ended, or "not-now" when the clock says no. The first ending stands: those who finish
-- the work of a closer that crashed do what it had begun.
--
-- An activity that Redis does not know, or not completely, ends just the same, so that a loader that is still at work
-- cannot open it. But its status is "closing": winners may be missing among its claims, and must not hear "closed".
--
-- A state of a higher format than 1 is "newer", and is left as it is, as in load-begin.lua.

local when, opens_at, closes_at, birth = unpack(ARGV, 2)
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local state = redis.call('HMGET', KEYS[1], 'status', 'ending', 'birth', 'format')
if tonumber(state[4] or '1') > 1 then
  return 'newer'
end

-- What is left of another activity that had the same id says nothing about this one.
if state[1] and (state[3] or '') ~= birth then
  redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
  state = {}
end
local known, ending = state[1] == 'open', state[2]
if ending then
  return ending
end

local too_late = when == 'before-opening' and (now >= tonumber(opens_at) or redis.call('HLEN', KEYS[4]) > 0)
local too_early = when == 'after-closing' and now < tonumber(closes_at)
if too_late or too_early then
  return 'not-now'
end

local status = known and 'closed' or 'closing'
ending = ARGV[1]
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[1], 'status', status, 'opensAt', opens_at, 'closesAt', closes_at, 'ending', ending, 'endedAt', now,
  'birth', birth, 'owner', owner)
return ending
