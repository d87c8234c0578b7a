-- @script  grab
-- @keys    journal (gate state packets claims)*
-- @args    (activityId userCount userId*)*
-- @returns journalEntryId outcome*
--
--   rp:{shard}:journal               stream  reservations not yet confirmed, one entry per call:
--                                            activityId -> "<userId> <packet> <userId> <packet> ..."
--   rp:{shard}:<activityId>:gate     string  is there while packets may be drawn, and expires when the rain is over
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
-- Every redis.call costs more than the Lua around it, and every value that it returns costs again. So each activity costs
-- a fixed handful of calls, whatever the number of users: a gate that stands open says so without a look at the clock,
-- because the server itself takes it away in time; all holders are read at once, all packets popped at once, all winners
-- written at once, and the whole call leaves one journal entry.

-- Whether the rain can be asked at all, and why it hands out nothing now. The first to come in time opens the gate.
local function look(gate_key, state_key)
  if redis.call('EXISTS', gate_key) == 1 then
    return true, false
  end
  local state = redis.call('HMGET', state_key, 'status', 'opensAt', 'closesAt')
  local status, opens_at, closes_at = state[1], state[2], state[3]
  if status ~= 'open' then
    return status == 'closed', status
  end
  local clock = redis.call('TIME')
  local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
  if now >= tonumber(closes_at) then
    return true, 'closed'
  end
  if now < tonumber(opens_at) then
    return true, 'not-open ' .. opens_at
  end
  -- A key is gone after its last millisecond, and closesAt is the first one that is too late.
  redis.call('SET', gate_key, '', 'PXAT', string.format('%.0f', closes_at - 1))
  return true, false
end

-- One user alone, as on a quiet day: the same steps as for many, without the tables that many need.
if #ARGV == 3 then
  local user = ARGV[3]
  local known, refused = look(KEYS[2], KEYS[3])
  if not known then
    return { '', 'not-loaded' }
  end
  local held = redis.call('HGET', KEYS[5], user)
  if held or refused then
    return { '', held and 'already ' .. held or refused }
  end
  local packet = redis.call('RPOP', KEYS[4])
  if not packet then
    return { '', 'sold-out' }
  end
  redis.call('HSET', KEYS[5], user, packet)
  return { redis.call('XADD', KEYS[1], '*', ARGV[1], user .. ' ' .. packet), 'won ' .. packet }
end

local outcomes = { '' }
local entry = {}
local arg = 1

for key = 2, #KEYS, 4 do
  local packets_key, claims_key = KEYS[key + 2], KEYS[key + 3]
  local activity_id, user_count = ARGV[arg], tonumber(ARGV[arg + 1])
  local first_user = arg + 2
  arg = first_user + user_count

  local known, refused = look(KEYS[key], KEYS[key + 1])
  if not known then
    for _ = 1, user_count do
      outcomes[#outcomes + 1] = 'not-loaded'
    end
  else
    local held = redis.call('HMGET', claims_key, unpack(ARGV, first_user, arg - 1))

    -- Users without a packet, each once however often he taps, and the turn of each.
    local waiting, turns = {}, {}
    if not refused then
      for i = 1, user_count do
        local user = ARGV[first_user + i - 1]
        if not held[i] and not turns[user] then
          waiting[#waiting + 1] = user
          turns[user] = #waiting
        end
      end
    end

    local popped = #waiting > 0 and redis.call('RPOP', packets_key, #waiting) or {}
    if #popped > 0 then
      local claims = {}
      for i = 1, #popped do
        claims[2 * i - 1], claims[2 * i] = waiting[i], popped[i]
      end
      redis.call('HSET', claims_key, unpack(claims))
      entry[#entry + 1] = activity_id
      entry[#entry + 1] = table.concat(claims, ' ')
    end

    for i = 1, user_count do
      local turn = turns[ARGV[first_user + i - 1]]
      local outcome
      if held[i] then
        outcome = 'already ' .. held[i]
      elseif refused then
        outcome = refused
      elseif not popped[turn] then
        outcome = 'sold-out'
      elseif waiting[turn] then
        waiting[turn] = false
        outcome = 'won ' .. popped[turn]
      else
        outcome = 'already ' .. popped[turn]
      end
      outcomes[#outcomes + 1] = outcome
    end
  end
end

if #entry > 0 then
  outcomes[1] = redis.call('XADD', KEYS[1], '*', unpack(entry))
end

return outcomes
