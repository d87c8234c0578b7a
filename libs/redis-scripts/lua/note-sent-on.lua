#!lua
-- @script  note-sent-on
-- @keys    sentOn
-- @args    how (userId part)*
-- @returns noted
--
--   rp:{shard}:<activityId>:away  hash  userId -> the parts to which this one has sent them on
--
-- Notes in the home part of users that they may hold a packet elsewhere. O(users).
--
--   how  "known": Postgres has their claims, so the note is always written; "new": only for users
--        who
--        were not sent on before

local noted = 0
for i = first_arg, #ARGV, 2 do
  noted = noted + redis.call(how == 'known' and 'HSET' or 'HSETNX', sent_on_key, ARGV[i], ARGV[i + 1])
end
return noted
