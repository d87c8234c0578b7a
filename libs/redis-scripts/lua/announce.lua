#!lua
-- @script  announce
-- @keys    state gate
-- @args    packetCount
-- @returns announced
--
--   rp:{shard}:<activityId>:state  hash    format, announced
--   rp:{shard}:<activityId>:gate   string
--
-- Announces that packets up to this number may be committed at any moment from now on. While they
-- are not loaded (the cursor is behind), users who find no packet are answered "adding", and not
-- "sold-out". The gate is believed without a look at the state, so it is removed. O(1).
--
-- An activity that Redis does not know needs no announcement: its grabs go to Postgres. A state of
-- a higher format than ours is left as it is, as in load-begin.lua.

local state = redis.call('HMGET', state_key, 'status', 'format')
if not state[1] or tonumber(state[2] or '1') > format_max then
  return 0
end
redis.call('HSET', state_key, 'announced', packet_count)
redis.call('DEL', gate_key)
return 1
