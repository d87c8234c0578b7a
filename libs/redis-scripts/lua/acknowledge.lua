#!lua flags=allow-oom
-- @script  acknowledge
-- @keys    journal (claims waitlist)*
-- @args    entryCount entryId* (claimCount (userId packet)*)*
-- @returns marked
--
--   rp:{shard}:journal                stream
--   rp:{shard}:<activityId>:claims    hash    userId -> "<packetNo>:<amountMinor>", then "!" once
--                                             it is confirmed
--   rp:{shard}:<activityId>:waitlist  zset    users who wait and hold no packet
--
-- Marks claims that Postgres has confirmed, and removes journal entries that are wholly decided.
-- O(entries + claims), idempotent.
--
-- A claim that Redis did not know is added, and its user waits no longer.
--
-- A user may hold another packet here by now: Redis had forgotten the first and dealt a second one.
-- That reservation is still undecided, and its own decision will give the packet back; overwriting
-- it would lose the packet.

-- A full server runs this as well (allow-oom): it must learn here what Postgres holds, and cannot
-- grow by more than that.

local entries = tonumber(entry_count)
if entries > 0 then
  redis.call('XDEL', journal_key, unpack(ARGV, first_arg, first_arg + entries - 1))
end

local marked = 0
local arg = first_arg + entries
for key = first_key, #KEYS, 2 do
  local users, packets = {}, {}
  for i = 1, tonumber(ARGV[arg]) do
    users[i], packets[i] = ARGV[arg + 2 * i - 1], ARGV[arg + 2 * i]
  end
  arg = arg + 2 * #users + 1

  local held = redis.call('HMGET', KEYS[key], unpack(users))
  local fields, learned = {}, {}
  for i, user in ipairs(users) do
    if not held[i] then
      learned[#learned + 1] = user
    end
    if not held[i] or held[i] == packets[i] then
      fields[#fields + 1] = user
      fields[#fields + 1] = packets[i] .. '!'
    end
  end
  if #fields > 0 then
    redis.call('HSET', KEYS[key], unpack(fields))
    marked = marked + #fields / 2
  end
  if #learned > 0 then
    redis.call('ZREM', KEYS[key + 1], unpack(learned))
  end
end
return marked
