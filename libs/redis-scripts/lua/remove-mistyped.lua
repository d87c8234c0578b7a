#!lua flags=allow-oom
-- @script  remove-mistyped
-- @keys    key*
-- @args    type*
-- @returns removed*
--
--   rp:{shard}:*  keys of this dispenser
--
-- Removes keys whose type does not belong to their names, and returns their positions. O(keys).
-- Another program, or a person, has overwritten the contents, so nothing of ours is lost, and without
-- the key they are brought back as after any other loss. It only deletes, and a full server runs it
-- (allow-oom).
--
-- A newer format may therefore give no other type to the name of a key.

local removed = {}
for i = first_key, #KEYS do
  local found = redis.call('TYPE', KEYS[i]).ok
  if found ~= 'none' and found ~= ARGV[i] then
    redis.call('UNLINK', KEYS[i])
    removed[#removed + 1] = i
  end
end
return removed
