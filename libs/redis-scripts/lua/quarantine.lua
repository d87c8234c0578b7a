#!lua flags=allow-oom
-- @script  quarantine
-- @keys    journal quarantine
-- @args    flaw entryId
-- @returns moved
--
--   rp:{shard}:journal     stream
--   rp:{shard}:quarantine  stream  "entry" -> its id in the journal, "flaw" -> why it cannot be
--                                  read, "fields" -> its fields and values as a JSON array
--
-- Moves an unreadable entry out of the way of all others, and keeps it: it may be about a user's
-- money. O(its size). A second caller finds it gone (0). A full server runs this as well
-- (allow-oom): the entry only moves. The fields are one text, because Lua can pass on only so many
-- of them.

local found = redis.call('XRANGE', journal_key, entry_id, entry_id)[1]
if not found then
  return 0
end
redis.call('XDEL', journal_key, entry_id)
redis.call('XADD', quarantine_key, '*', 'entry', entry_id, 'flaw', flaw, 'fields', cjson.encode(found[2]))
return 1
