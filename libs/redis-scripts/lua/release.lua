#!lua flags=allow-oom
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
-- Takes back a reservation that Postgres refused to confirm, and teaches Redis what Postgres knows.
-- O(log users who wait).
--
--   fate            "return": the packet has no holder, so it goes back to the list, without the mark
--                   of a claim that Postgres has lost; "drop": it must not
--   rightfulUserId  the user whose confirmed claim caused the refusal, "" when there is none
--   rightfulPacket  that claim, "<packetNo>:<amountMinor>!"
--   waitsSince      the moment of joining, for a user who has waited for the packet and is left
--                   with nothing: they get their place back, and packets are spoken for as in
--                   join-waitlist.lua; "" for all others
--
-- A user who is found to hold a packet waits no longer.
--
-- Only a reservation that still stands is taken back (1); otherwise nothing changes for it (0).
-- Without that check a repeated call would put the same packet into the list twice. For the same
-- reason the rightful user is left alone while they hold another packet here: that reservation is
-- undecided, and its own decision will give it back.
--
-- A full server runs this as well (allow-oom), because the journal waits for it.

local released = 0
if redis.call('HGET', claims_key, user_id) == packet then
  released = 1
  redis.call('HDEL', claims_key, user_id)
  if fate == 'return' then
    redis.call('LPUSH', packets_key, string.match(packet, '^[^!]+'))
  end
end
if rightful_user_id ~= '' and redis.call('HSETNX', claims_key, rightful_user_id, rightful_packet) == 1 then
  redis.call('ZREM', waitlist_key, rightful_user_id)
end
if waits_since ~= '' and redis.call('HEXISTS', claims_key, user_id) == 0 then
  redis.call('ZADD', waitlist_key, waits_since, user_id)
  redis.call('SADD', waiting_key, activity_id)
  redis.call('DEL', gate_key)
end
return released
