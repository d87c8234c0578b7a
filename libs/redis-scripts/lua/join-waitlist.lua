#!lua
-- @script  join-waitlist
-- @keys    state gate packets claims waitlist waiting
-- @args    activityId userId lengthMax parts hold
-- @returns outcome position length
--
--   rp:{shard}:<activityId>:state     hash    status, opensAt, closesAt (ms), format, parts
--   rp:{shard}:<activityId>:gate      string
--   rp:{shard}:<activityId>:packets   list
--   rp:{shard}:<activityId>:claims    hash
--   rp:{shard}:<activityId>:waitlist  zset    userId by the moment of joining, in microseconds; half
--                                             of one more if their win is to be held
--   rp:{shard}:waiting                set     activities with a waiting list
--
-- Lets a user wait for a packet, after all users who wait already. O(log users).
--
--   outcome  "not-loaded", "not-open", "closed", "over" (see grab.lua); "already": the user has a
--            packet; "not-sold-out": packets are there, or not released yet; "parts" <n>: the activity
--            is dealt over n parts, and not over the number that the caller names; "full": no more
--            users may wait; or "waiting", also for users who ask again, with their present place
--
-- If the activity is dealt over several parts, this is part 0, where the only list is: the caller
-- has looked at the others, and has noted in the home part of the user that they may be given a
-- packet here.
--
-- While users wait the gate is shut, and as many packets are spoken for as users wait: a packet
-- that becomes free goes to the head of the list, and not to the first user who taps.

local state = redis.call('HMGET', state_key, 'status', 'opensAt', 'closesAt', 'format', 'parts')
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
if tonumber(state[4] or '1') > format_max then
  return { 'not-loaded', 0, 0 }
end
if state[1] ~= 'open' then
  return { (state[1] == 'closed' or state[1] == 'closing') and 'closed' or 'not-loaded', 0, 0 }
end
if now >= state[3] * 1000 then
  return { 'over', 0, 0 }
end
if now < state[2] * 1000 then
  return { 'not-open', 0, 0 }
end
if (state[5] or '1') ~= parts then
  return { 'parts', tonumber(state[5] or '1'), 0 }
end
if redis.call('HEXISTS', claims_key, user_id) == 1 then
  return { 'already', 0, 0 }
end

local length = redis.call('ZCARD', waitlist_key)
if length == 0 and redis.call('LLEN', packets_key) > 0 then
  return { 'not-sold-out', 0, 0 }
end
if not redis.call('ZSCORE', waitlist_key, user_id) then
  if length >= tonumber(length_max) then
    return { 'full', 0, 0 }
  end
  local last = redis.call('ZRANGE', waitlist_key, -1, -1, 'WITHSCORES')[2] or '0'
  local moment = math.max(now, math.floor(tonumber(last)) + 1)
  redis.call('ZADD', waitlist_key, string.format('%.0f', moment) .. (hold == '1' and '.5' or ''), user_id)
  redis.call('DEL', gate_key)
  redis.call('SADD', waiting_key, activity_id)
end
return { 'waiting', redis.call('ZRANK', waitlist_key, user_id) + 1, redis.call('ZCARD', waitlist_key) }
