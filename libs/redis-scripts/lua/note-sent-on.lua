#!lua
-- @script  note-sent-on
-- @keys    sentOn
-- @args    how (userId part)*
-- @returns noted
--
--   rp:{shard}:<activityId>:away  hash  userId -> the parts to which this one has sent them on
--
-- Notes in users' home parts that they may hold a packet elsewhere. O(users).
--
--   how  "known": Postgres has their claims, so the note replaces all others; "new": only for users
--        who were not sent on before; "none": the user begins a new way, and all notes go

local noted = 0
for i = first_arg, #ARGV, 2 do
  if how == 'none' then
    noted = noted + redis.call('HDEL', sent_on_key, ARGV[i])
  else
    noted = noted + redis.call(how == 'known' and 'HSET' or 'HSETNX', sent_on_key, ARGV[i], ARGV[i + 1])
  end
end
return noted
