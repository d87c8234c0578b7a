-- @script  hold-lease
-- @keys    lease
-- @args    holder leaseMs
-- @returns held
--
--   rp:{lease}:<name>                string  who holds it
--
-- Takes a lease that nobody holds, or extends one's own: 1 when it is held now, 0 when it is somebody else's. O(1).

if redis.call('SET', lease_key, holder, 'NX', 'PX', lease_ms) then
  return 1
end
if redis.call('GET', lease_key) ~= holder then
  return 0
end
return redis.call('PEXPIRE', lease_key, lease_ms)
