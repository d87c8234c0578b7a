#!lua
-- @script  load-begin
-- @keys    state gate packets claims waitlist sentOn
-- @args    opensAt closesAt birth parts pace stateFormat
-- @returns status packetCursor
--
--   rp:{shard}:<activityId>:state     hash  status, opensAt, closesAt, packetCursor, loaded, birth,
--                                           owner, format, parts, pace
--   rp:{shard}:<activityId>:gate      string
--   rp:{shard}:<activityId>:packets   list
--   rp:{shard}:<activityId>:claims    hash
--   rp:{shard}:<activityId>:waitlist  zset
--   rp:{shard}:<activityId>:away      hash
--
-- Begins to load an activity, or finds where an interrupted load stopped. O(1).
--
-- Status "loading" means: continue after packetCursor. Any other status means that there is nothing
-- to load. Leftovers without a state (a partly lost data set) are cleared, because their completeness
-- is unknown. A million packets are freed in the background, because freeing them here would hold
-- up all other clients. Users who wait keep waiting: when the activity opens again, packets are
-- spoken for as before.
--
-- An activity of the same id and another birth is one that Postgres has lost and whose id was given
-- again: everything of it is removed, its waiting list included.
--
-- The state of a part, where an activity is dealt over several, has the number of parts. A state
-- with another number was written by a program that did not know, and is removed like leftovers. The
-- notes of users who were sent on from here are kept.
--
-- A state of a lower format than the activity needs now was written by a program that did not know
-- what it must not overlook. Its contents are right, so it gets the format, and loses the gate, which
-- such a program believes.
--
-- The end of a window moves to a later instant in Postgres, and a state that has an earlier one follows. The
-- other way around the caller has read Postgres before that. A gate that names the end is lost.
--
-- A state of a higher format than ours (format_max) is "newer": only the version that wrote it may
-- touch it (state-format.ts). Neither parts nor such a version may use the key of the gate, which is
-- believed without a look at the state.

local state = redis.call('HMGET', state_key, 'status', 'birth', 'owner', 'format', 'parts', 'closesAt')
local status = state[1]
if tonumber(state[4] or '1') > format_max then
  return { 'newer', '0' }
end
if status and ((state[2] or '') ~= birth or (state[3] or '') ~= owner) then
  redis.call('UNLINK', state_key, waitlist_key, sent_on_key)
  status = nil
elseif status and (state[5] or '1') ~= parts then
  redis.call('UNLINK', state_key)
  status = nil
elseif status and tonumber(state[4] or '1') < tonumber(state_format) then
  redis.call('HSET', state_key, 'format', state_format)
  redis.call('DEL', gate_key)
end
if not status then
  redis.call('UNLINK', gate_key, packets_key, claims_key)
  redis.call('HSET', state_key, 'status', 'loading', 'opensAt', opens_at, 'closesAt', closes_at, 'packetCursor', 0, 'loaded', 0,
    'birth', birth, 'owner', owner, 'format', state_format)
  if parts ~= '1' then
    redis.call('HSET', state_key, 'parts', parts)
  end
  if pace ~= '' then
    redis.call('HSET', state_key, 'pace', pace)
  end
  status = 'loading'
elseif (status == 'open' or status == 'loading') and tonumber(state[6] or '0') < tonumber(closes_at) then
  redis.call('HSET', state_key, 'closesAt', closes_at)
  redis.call('DEL', gate_key)
end
return { status, redis.call('HGET', state_key, 'packetCursor') }
