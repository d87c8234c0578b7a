-- @script  grab
-- @keys    journal (gate state packets claims)*
-- @args    (activityId userCount userId*)*
-- @returns journalEntryId (won held rest)*
--
--   rp:{shard}:journal               stream  reservations not yet confirmed, one entry per call:
--                                            activityId -> "<userId> <packet> <userId> <packet> ..."
--   rp:{shard}:<activityId>:gate     string  is there while packets may be drawn, and expires when the rain is over
--   rp:{shard}:<activityId>:state    hash    status, opensAt, closesAt (ms), waiting
--   rp:{shard}:<activityId>:packets  list    "<packetNo>:<amountMinor>", packets nobody holds
--   rp:{shard}:<activityId>:claims   hash    userId -> "<packetNo>:<amountMinor>", "!" behind it once confirmed
--
-- Hands out packets of one shard to any number of users in one atomic step. O(users).
--
-- Answers for each activity, in the order of precedence:
--
--   rest "not-loaded"  the activity is not (or not completely) in Redis: ask Postgres what that means; nobody is named
--   held               users who hold a packet, the same one for ever:  "<userId> <packet> <userId> <packet> ..."
--   rest               what everybody else hears who did not win: "closed", "not-open <opensAt>" or "sold-out"
--   won                users for whom a packet was reserved now, written as in the journal
--
-- The window is judged by this server's clock alone, so no host's clock can open a rain early or late.
--
-- Idempotent per user: a client that never saw the reply sends again and finds its user held, with the same packet.
-- The claim and its journal entry are written by the same script, so either both survive a crash or neither.
-- A reservation is not a promise: nobody is told before Postgres has confirmed it, because Redis may forget.
--
-- Every redis.call costs more than the Lua around it, and every value that goes in or out costs again. So each activity
-- costs a fixed handful of calls, whatever the number of users: a gate that stands open says so without a look at the
-- clock, because the server itself takes it away in time; all holders are read at once, all packets popped at once, all
-- winners written at once, and the whole call leaves one journal entry, whose text is the answer as well.

-- One user alone while the gate stands open, as on a quiet day: the same steps as for many, without what only many need.
-- This comes first because even the functions below cost something.
if #ARGV == 3 and redis.call('EXISTS', KEYS[2]) == 1 then
  local user = ARGV[3]
  local held = redis.call('HGET', KEYS[5], user)
  if held then
    return { '', '', user .. ' ' .. held, 'sold-out' }
  end
  local packet = redis.call('RPOP', KEYS[4])
  if not packet then
    return { '', '', '', 'sold-out' }
  end
  redis.call('HSET', KEYS[5], user, packet)
  local won = user .. ' ' .. packet
  return { redis.call('XADD', KEYS[1], '*', ARGV[1], won), won, '', 'sold-out' }
end

-- What users hear who get nothing, and where packets may be drawn how many of them are spoken for, by users who wait. The
-- first to come in time, while nobody waits, opens the gate.
local function look(gate_key, state_key)
  if redis.call('EXISTS', gate_key) == 1 then
    return 'sold-out', 0
  end
  local state = redis.call('HMGET', state_key, 'status', 'opensAt', 'closesAt', 'waiting')
  local status, opens_at, closes_at, waiting = state[1], state[2], state[3], state[4]
  if status ~= 'open' then
    return status == 'closed' and 'closed' or 'not-loaded'
  end
  local clock = redis.call('TIME')
  local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
  if now >= tonumber(closes_at) then
    return 'closed'
  end
  if now < tonumber(opens_at) then
    return 'not-open ' .. opens_at
  end
  if waiting then
    return 'sold-out', tonumber(waiting)
  end
  -- A key is gone after its last millisecond, and closesAt is the first one that is too late.
  redis.call('SET', gate_key, '', 'PXAT', string.format('%.0f', closes_at - 1))
  return 'sold-out', 0
end

-- How many packets may be drawn by so many users.
local function drawable(packets_key, spoken_for, users)
  if not spoken_for or spoken_for == 0 then
    return spoken_for and users or 0
  end
  return math.min(users, redis.call('LLEN', packets_key) - spoken_for)
end

local reply = { '' }
local entry = {}
local arg = 1

for key = 2, #KEYS, 4 do
  local packets_key, claims_key = KEYS[key + 2], KEYS[key + 3]
  local activity_id, user_count = ARGV[arg], tonumber(ARGV[arg + 1])
  local first_user = arg + 2
  arg = first_user + user_count

  local won, held = '', ''
  local rest, spoken_for = look(KEYS[key], KEYS[key + 1])
  if rest ~= 'not-loaded' then
    local packets = redis.call('HMGET', claims_key, unpack(ARGV, first_user, arg - 1))

    -- Holders with their packets; and users without one, each once however often he taps.
    local holders, waiting, seen = {}, {}, {}
    for i = 1, user_count do
      local user, packet = ARGV[first_user + i - 1], packets[i]
      if packet then
        holders[#holders + 1] = user
        holders[#holders + 1] = packet
      elseif not seen[user] then
        seen[user] = true
        waiting[#waiting + 1] = user
      end
    end
    held = table.concat(holders, ' ')

    local count = drawable(packets_key, spoken_for, #waiting)
    local popped = count > 0 and redis.call('RPOP', packets_key, count)
    if popped then
      local claims = {}
      for i = 1, #popped do
        claims[2 * i - 1], claims[2 * i] = waiting[i], popped[i]
      end
      redis.call('HSET', claims_key, unpack(claims))
      won = table.concat(claims, ' ')
      entry[#entry + 1] = activity_id
      entry[#entry + 1] = won
    end
  end
  reply[#reply + 1] = won
  reply[#reply + 1] = held
  reply[#reply + 1] = rest
end

if #entry > 0 then
  reply[1] = redis.call('XADD', KEYS[1], '*', unpack(entry))
end

return reply
