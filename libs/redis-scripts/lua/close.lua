#!lua flags=allow-oom
-- @script  close
-- @keys    state gate packets claims
-- @args    ending when opensAt closesAt birth parts stateFormat
-- @returns ending
--
--   rp:{shard}:<activityId>:state    hash    status, opensAt, closesAt, ending, endedAt, birth,
--                                            owner, format, parts
--   rp:{shard}:<activityId>:gate     string
--   rp:{shard}:<activityId>:packets  list
--   rp:{shard}:<activityId>:claims   hash    userId -> packet
--
-- Refuses every further grab of an activity. O(1), idempotent.
--
--   ending  how it ends, "closed" or "cancelled": Postgres has decided that before
--   when    "any-time"; "before-opening" (a cancellation): only while this server's clock has not
--           reached opensAt, and no user holds a packet; "after-closing" (the sweeper): only once
--           the clock has reached closesAt
--
-- Answers how the activity has ended, or "not-now" when the clock says no. The first ending stands:
-- a process that finishes the work of a crashed closer carries out the ending that was begun.
--
-- An activity that Redis does not know, or not completely, ends in the same way, so that a loader
-- that is still at work cannot open it. But its status is "closing": winners may be missing among
-- its claims, and must not be answered "closed".
--
-- A part, where an activity is dealt over several, is "closing" as well until it is tidied up: its
-- users must not be answered "closed" while others still win in a part that does not know the end
-- yet.
--
-- A full server runs this as well (allow-oom): it writes a few fields, for activities of Postgres.
--
-- A state of a higher format than ours is "newer", and is left as it is, as in load-begin.lua.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local state = redis.call('HMGET', state_key, 'status', 'ending', 'birth', 'format')
if tonumber(state[4] or '1') > format_max then
  return 'newer'
end

-- A leftover of another activity with the same id says nothing about this one.
if state[1] and (state[3] or '') ~= birth then
  redis.call('UNLINK', state_key, gate_key, packets_key, claims_key)
  state = {}
end
if state[2] then
  return state[2]
end

local too_late = when == 'before-opening' and (now >= tonumber(opens_at) or redis.call('HLEN', claims_key) > 0)
local too_early = when == 'after-closing' and now < tonumber(closes_at)
if too_late or too_early then
  return 'not-now'
end

local status = state[1] == 'open' and parts == '1' and 'closed' or 'closing'
redis.call('DEL', gate_key)
redis.call('HSET', state_key, 'status', status, 'opensAt', opens_at, 'closesAt', closes_at, 'ending', ending, 'endedAt', now,
  'birth', birth, 'owner', owner, 'format', math.max(tonumber(state_format), tonumber(state[4] or '1')))
if parts ~= '1' then
  redis.call('HSET', state_key, 'parts', parts)
end
return ending
