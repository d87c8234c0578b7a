#!lua flags=no-writes
-- @script  journal-doubts
-- @keys    installation journal packets waitlist
-- @args    activityId entriesMax
-- @returns whose undecided packetsLeft waiting
--
--   rp:{shard}:installation           string
--   rp:{shard}:journal                stream  see grab.lua
--   rp:{shard}:<activityId>:packets   list
--   rp:{shard}:<activityId>:waitlist  zset
--
-- Finds out whether packets of an activity may come back: whether the journal has a reservation of
-- it (1), the packets that are free, and the users who wait, all at one moment. O(entries). A journal
-- of more than entriesMax entries is not read: it may have one. standing.lua explains why this is a
-- script.

local undecided = 0
local entries = redis.call('XRANGE', journal_key, '-', '+', 'COUNT', entries_max + 1)
if #entries > tonumber(entries_max) then
  undecided = 1
end
for i = 1, undecided == 0 and #entries or 0 do
  local fields = entries[i][2]
  for j = 1, #fields, 2 do
    if string.match(fields[j], '^%d+') == activity_id then
      undecided = 1
    end
  end
end
return {
  redis.call('GET', installation_key),
  undecided,
  redis.call('LLEN', packets_key),
  redis.call('ZCARD', waitlist_key),
}
