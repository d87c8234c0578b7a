#!lua flags=allow-oom
-- @script  note-call
-- @keys    calls lastCalls
-- @args    kept channelId call
-- @returns nothing
--
--   rp:{00}:calls      list  the newest of all channels, the newest first
--   rp:{00}:lastCalls  hash  channelId -> its newest call
--
-- Remembers a call, and forgets the oldest one, but never the last one of a channel: a busy channel
-- would hide that a Postgres has lost what another one was called for. O(1). A full server runs this
-- as well (allow-oom): both have a bound.

redis.call('LPUSH', calls_key, call)
redis.call('LTRIM', calls_key, 0, tonumber(kept) - 1)
redis.call('HSET', last_calls_key, channel_id, call)
