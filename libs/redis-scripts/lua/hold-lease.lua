#!lua
-- @script  hold-lease
-- @keys    lease
-- @args    holder leaseMs
-- @returns held
--
--   rp:{shard}:lease:<name>  string  its holder
--
-- Takes a free lease, or extends the caller's own: 1 when the caller holds it now, 0 when another
-- process does. O(1).
--
-- A lease that lasts longer than any can was taken while the clock of this server was ahead. It is
-- taken over: its holder may be dead, and it would last until the clock gets there again.

local last_holder = redis.call('GET', lease_key)
local remaining = redis.call('PTTL', lease_key)
if last_holder ~= holder and remaining >= 0 and remaining <= tonumber(lease_ms) then
  return 0
end
redis.call('SET', lease_key, holder, 'PX', lease_ms)
return 1
