-- @script  grab
-- @keys    journal (state packets claims)*
-- @args    (activityId userCount userId*)*
-- @returns journalEntryId outcome*
--
--   rp:{shard}:journal               stream  reservations not yet confirmed, one entry per call:
--                                            activityId -> "<packet> <userId> <packet> <userId> ..."
--   rp:{shard}:<activityId>:state    hash    status, opensAt, closesAt (ms)
--   rp:{shard}:<activityId>:packets  list    "<packetNo>:<amountMinor>", packets nobody holds
--   rp:{shard}:<activityId>:claims   hash    userId -> "<packetNo>:<amountMinor>", "!" behind it once confirmed
--
-- Hands out packets of one shard to any number of users in one atomic step. O(users).
--
-- The outcomes of one user, in order of precedence; the first that applies is the answer:
--
--   not-loaded             the activity is not (or not completely) in Redis: ask Postgres what that means
--   already <packet>       this user holds a packet; the same one for ever
--   closed                 the rain is over
--   not-open <opensAt>     the rain has not begun
--   sold-out               no packet is left
--   won <packet>           reserved for this user now, and written to the journal
--
-- The window is judged by this server's clock alone, so no host's clock can open a rain early or late.
--
-- Idempotent per user: a client that never saw the reply sends again and hears "already" with the same packet.
-- The claim and its journal entry are written by the same script, so either both survive a crash or neither.
-- A reservation is not a promise: nobody is told before Postgres has confirmed it, because Redis may forget.
--
-- Every redis.call costs more than the Lua around it, so each activity costs a fixed handful of calls,
-- whatever the number of users: all holders are read at once, all packets popped at once, all winners written
-- at once, and the whole call leaves one journal entry.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function refusal(status, opens_at, closes_at)
  if status == 'closed' or now >= tonumber(closes_at) then
    return 'closed'
  end
  if now < tonumber(opens_at) then
    return 'not-open ' .. opens_at
  end
end

local outcomes = { '' }
local entry = {}
local arg = 1

for key = 2, #KEYS, 3 do
  local state_key, packets_key, claims_key = KEYS[key], KEYS[key + 1], KEYS[key + 2]
  local activity_id, user_count = ARGV[arg], tonumber(ARGV[arg + 1])
  local first_user = arg + 2
  arg = first_user + user_count

  local state = redis.call('HMGET', state_key, 'status', 'opensAt', 'closesAt')
  local status = state[1]

  if not status or status == 'loading' or status == 'closing' then
    for _ = 1, user_count do
      outcomes[#outcomes + 1] = 'not-loaded'
    end
  else
    local held = redis.call('HMGET', claims_key, unpack(ARGV, first_user, arg - 1))
    local refused = refusal(status, state[2], state[3])

    local waiting, waits = {}, {}
    if not refused then
      for i = 1, user_count do
        local user = ARGV[first_user + i - 1]
        if not held[i] and not waits[user] then
          waits[user] = true
          waiting[#waiting + 1] = user
        end
      end
    end

    local popped = #waiting > 0 and redis.call('RPOP', packets_key, #waiting) or {}
    local won, claims, journaled = {}, {}, {}
    for i = 1, #popped do
      won[waiting[i]] = popped[i]
      claims[#claims + 1] = waiting[i]
      claims[#claims + 1] = popped[i]
      journaled[#journaled + 1] = popped[i] .. ' ' .. waiting[i]
    end
    if #popped > 0 then
      redis.call('HSET', claims_key, unpack(claims))
      entry[#entry + 1] = activity_id
      entry[#entry + 1] = table.concat(journaled, ' ')
    end

    local told = {}
    for i = 1, user_count do
      local user = ARGV[first_user + i - 1]
      local packet = won[user]
      local outcome
      if held[i] then
        outcome = 'already ' .. held[i]
      elseif refused then
        outcome = refused
      elseif not packet then
        outcome = 'sold-out'
      elseif told[user] then
        outcome = 'already ' .. packet
      else
        told[user] = true
        outcome = 'won ' .. packet
      end
      outcomes[#outcomes + 1] = outcome
    end
  end
end

if #entry > 0 then
  outcomes[1] = redis.call('XADD', KEYS[1], '*', unpack(entry))
end

return outcomes
