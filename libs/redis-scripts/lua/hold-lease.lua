-- @script  hold-lease
-- @keys    lease
-- @args    holder leaseMs
-- @returns held
--
--   rp:{lease}:<name>                string  who holds it
--
-- Takes a lease that nobody holds, or extends one's own: 1 when it is held now, 0 when it is somebody else's. O(1).

if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return 1
end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
