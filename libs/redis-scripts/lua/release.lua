-- @script  release
-- @keys    gate packets claims waitlist waiting
-- @args    activityId userId packet fate rightfulUserId rightfulPacket waitsSince
-- @returns released
--
--   rp:{shard}:<activityId>:gate      string
--   rp:{shard}:<activityId>:packets   list
--   rp:{shard}:<activityId>:claims    hash
--   rp:{shard}:<activityId>:waitlist  zset    userId by the moment of joining
--   rp:{shard}:waiting                set     activities with a waiting list
--
-- Takes back a reservation that Postgres refused to confirm, and teaches Redis what Postgres knows. O(log users who wait).
--
--   fate            "return": nobody holds the packet, so it goes back to the list; "drop": it must not
--   rightfulUserId  the user whose confirmed claim caused the refusal, "" when there is none
--   rightfulPacket  that claim, "<packetNo>:<amountMinor>!"
--   waitsSince      the moment at which a user joined who has waited for it and is left with nothing: they get their
--                   place back, and packets are spoken for as in join-waitlist.lua; "" for everybody else
--
-- A user who is found to hold a packet waits no longer.
--
-- Only a reservation that still stands is taken back (1); otherwise nothing changes for it (0). Without that
-- check a resend would put the same packet into the list twice. For the same reason the rightful user is left alone
-- while they hold another packet here: that reservation is undecided, and its own decision will give it back.

local activity_id, user, packet, fate, rightful_user, rightful_packet, waits_since = unpack(ARGV)

-- A full server refuses a script whose first write may need memory, and none after it. The journal waits for this
-- script.
redis.call('SREM', KEYS[5], '')

local released = 0
if redis.call('HGET', KEYS[3], user) == packet then
  released = 1
  redis.call('HDEL', KEYS[3], user)
  if fate == 'return' then
    redis.call('LPUSH', KEYS[2], packet)
  end
end
if rightful_user ~= '' and redis.call('HSETNX', KEYS[3], rightful_user, rightful_packet) == 1 then
  redis.call('ZREM', KEYS[4], rightful_user)
end
if waits_since ~= '' and redis.call('HEXISTS', KEYS[3], user) == 0 then
  redis.call('ZADD', KEYS[4], waits_since, user)
  redis.call('SADD', KEYS[5], activity_id)
  redis.call('DEL', KEYS[1])
end
return released
