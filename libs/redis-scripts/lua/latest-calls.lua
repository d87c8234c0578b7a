#!lua flags=allow-oom
-- @script  latest-calls
-- @keys    calls lastCalls
-- @args    none
-- @returns call*
--
--   rp:{00}:calls      list  the newest of all channels, the newest first
--   rp:{00}:lastCalls  hash  channelId -> its newest call
--
-- O(calls + channels). It does not say that it only reads, so that a server which takes no writes
-- refuses it: a call that cannot be noted must not be recorded either.

local calls, known = redis.call('LRANGE', calls_key, 0, -1), {}
for i = 1, #calls do
  known[calls[i]] = true
end
local last = redis.call('HVALS', last_calls_key)
for i = 1, #last do
  if not known[last[i]] then
    calls[#calls + 1] = last[i]
  end
end
return calls
