-- @script  hold-lease
-- @keys    lease
-- @args    holder leaseMs
-- @returns held
--
--   rp:{lease}:<name>                string  who holds it
--
-- Takes a lease that nobody holds, or extends one's own: 1 when it is held now, 0 when it is somebody else's. O(1).
--
-- A lease that lasts longer than any is one that was taken while the clock of this server was ahead. It is taken over:
-- its holder may be dead, and it would last until the clock gets there again.

local holder = redis.call('GET', KEYS[1])
local remaining = redis.call('PTTL', KEYS[1])
if holder ~= ARGV[1] and remaining >= 0 and remaining <= tonumber(ARGV[2]) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
