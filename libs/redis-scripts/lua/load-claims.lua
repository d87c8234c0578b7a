#!lua
-- @script  load-claims
-- @keys    claims waitlist
-- @args    (userId packet)*
-- @returns added
--
--   rp:{shard}:<activityId>:claims    hash  userId -> "<packetNo>:<amountMinor>!"
--   rp:{shard}:<activityId>:waitlist  zset  users who wait and hold no packet
--
-- Writes claims that Postgres holds over those in Redis; their users no longer wait. O(claims).

local users = {}
for i = 1, #ARGV, 2 do
  users[#users + 1] = ARGV[i]
end
local added = redis.call('HSET', claims_key, unpack(ARGV))
redis.call('ZREM', waitlist_key, unpack(users))
return added
