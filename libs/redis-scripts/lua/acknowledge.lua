-- @script  acknowledge
-- @keys    journal claims*
-- @args    entryCount entryId* (claimCount (userId packet)*)*
-- @returns marked
--
--   rp:{shard}:journal              stream
--   rp:{shard}:<activityId>:claims  hash    userId -> "<packetNo>:<amountMinor>", "!" behind it once confirmed
--
-- Marks claims that Postgres has confirmed, and removes journal entries that are wholly decided. O(entries + claims),
-- idempotent.
--
-- A user may hold another packet here by now: Redis had forgotten the first and dealt a second one. That reservation is
-- still undecided, and its own decision will give the packet back; overwriting it would lose the packet.

local entry_count = tonumber(ARGV[1])
if entry_count > 0 then
  redis.call('XDEL', KEYS[1], unpack(ARGV, 2, entry_count + 1))
end

local marked = 0
local arg = entry_count + 2
for key = 2, #KEYS do
  local users, packets = {}, {}
  for i = 1, tonumber(ARGV[arg]) do
    users[i], packets[i] = ARGV[arg + 2 * i - 1], ARGV[arg + 2 * i]
  end
  arg = arg + 2 * #users + 1

  local held = redis.call('HMGET', KEYS[key], unpack(users))
  local fields = {}
  for i, user in ipairs(users) do
    if not held[i] or held[i] == packets[i] then
      fields[#fields + 1] = user
      fields[#fields + 1] = packets[i] .. '!'
    end
  end
  if #fields > 0 then
    redis.call('HSET', KEYS[key], unpack(fields))
    marked = marked + #fields / 2
  end
end
return marked
