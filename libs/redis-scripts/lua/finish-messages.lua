-- @script  finish-messages
-- @keys    messages mark*
-- @args    keptMs entryId*
-- @returns removed
--
--   rp:{events}:messages             stream  messages that nobody has pushed yet
--   rp:{events}:mark:<messageId>     string
--
-- Marks messages as pushed and takes them off the list of those still to be pushed. O(messages).
--
-- The mark outlives the message, because its publisher may publish it again.

for i = 2, #KEYS do
  redis.call('SET', KEYS[i], 'done', 'PX', ARGV[1])
end
return redis.call('XDEL', KEYS[1], unpack(ARGV, 2))
