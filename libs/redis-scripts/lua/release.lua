-- @script  release
-- @keys    packets claims
-- @args    userId packet fate rightfulUserId rightfulPacket
-- @returns released
--
--   rp:{shard}:<activityId>:packets  list
--   rp:{shard}:<activityId>:claims   hash
--
-- Takes back a reservation that Postgres refused to confirm, and teaches Redis what Postgres knows. O(1).
--
--   fate            "return": nobody holds the packet, so it goes back to the list; "drop": it must not
--   rightfulUserId  the user whose confirmed claim caused the refusal, "" when there is none
--   rightfulPacket  that claim, "<packetNo>:<amountMinor>!"
--
-- Only a reservation that still stands is taken back (1); otherwise nothing changes for it (0). Without that
-- check a resend would put the same packet into the list twice. For the same reason the rightful user is left alone
-- while he holds another packet here: that reservation is undecided, and its own decision will give it back.

local user, packet, fate, rightful_user, rightful_packet = unpack(ARGV)

local released = 0
if redis.call('HGET', KEYS[2], user) == packet then
  released = 1
  redis.call('HDEL', KEYS[2], user)
  if fate == 'return' then
    redis.call('LPUSH', KEYS[1], packet)
  end
end
if rightful_user ~= '' then
  redis.call('HSETNX', KEYS[2], rightful_user, rightful_packet)
end
return released
