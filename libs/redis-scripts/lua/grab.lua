#!lua
-- @script  grab
-- @keys    journal (gate state packets claims waitlist)*
-- @args    (activityId userCount userId*)* owner
-- @returns lines: journalEntryId (won held rest)*
--
--   rp:{shard}:journal                stream  reservations not yet confirmed, one entry per call:
--                                             activityId -> "<userId> <packet> <userId> ...",
--                                             or "<activityId> hold" if the wins are to be held;
--                                             for users who have waited,
--                                             "<activityId> waitlist <moment>*" -> the same;
--                                             "v<format>" -> "" comes first where an activity has
--                                             a marked format
--   rp:{shard}:<activityId>:gate      string  owner; exists while packets may be drawn and no user
--                                             waits, and expires when the rain is over. While a plan
--                                             holds packets back: "<heldBack> <nextAt> <closesAt>
--                                             <owner>", until the next release. "v<format> <owner>"
--                                             is in the place of the owner where the format is
--                                             marked
--   rp:{shard}:<activityId>:state     hash    status, opensAt, closesAt (ms), owner, format,
--                                             packetCursor, announced, parts, pace
--   rp:{shard}:<activityId>:packets   list    "<packetNo>:<amountMinor>", packets without a holder
--   rp:{shard}:<activityId>:claims    hash    userId -> "<packetNo>:<amountMinor>", then "!" once
--                                             it is confirmed
--   rp:{shard}:<activityId>:waitlist  zset    users who wait and hold no packet, by the moment of
--                                             joining
--
-- Hands out packets of one shard to any number of users in one atomic step, each activity once.
-- O(users), and O(users * log users who wait) where users wait while packets are there.
--
-- Answers for each activity, in the order of precedence:
--
--   rest "not-loaded"  the activity is not, or not completely, in Redis: Postgres decides what that
--                      means, and no user is named
--   held               users who hold a packet, the same one for ever:
--                      "<userId> <packet> <userId> <packet> ..."
--   rest               the answer for users who did not win: "closed", "over", "not-open
--                      <opensAt>", "adding <moment>*", "not-yet <nextAt> <closesAt> <moment>*" or
--                      "sold-out <moment>*", with the moments at which the first of the
--                      winners joined the waiting list
--   won                users for whom a packet was reserved now, written as in the journal
--
-- An activity that is dealt over several parts has no gate. Nothing of it is handed out here: users
-- who hold no packet of its part 0 get "parts <n>", and ask again by grab-part.lua.
--
-- Packets that a plan (pace) has not released stay in the list: users win only while it is longer
-- than their number. So what was drawn is counted by the list itself, whatever became of it, and a
-- packet that comes back may be drawn at once. The gate of such a rain says how many they are until
-- the next release, so an activity without a plan pays nothing for it. A list that was filled again
-- from Postgres holds packets that were confirmed meanwhile; they are the last ones, which the next
-- tap draws and Postgres refuses. Packets that are added before that tap hide them, and until they
-- are drawn the plan may be passed by as many.
--
-- Terms that restrict who wins raise the format, from format_marked on, and older programs leave such
-- a state alone (state-format.ts). They believe a gate without a look at the state and confirm what
-- the journal has, so both have the format as well, in a form that they do not know.
--
-- The window is judged by this server's clock alone, so no host's clock can open a rain early or
-- late. "over" is only what this clock says, and a clock can be set back: a user may win later.
-- "closed" was decided, and stands.
--
-- "adding" means that packets were announced and are not loaded yet, so this list does not show
-- whether the rain is sold out: Postgres decides what that means (announce.lua). The gate stays
-- away until they are loaded.
--
-- An activity that another installation has loaded is not ours, even if it has the same id: the
-- answer is "not-loaded". The gate holds the owner, so this check costs no call.
--
-- The script is idempotent per user: a client that never saw the reply sends again, and finds its
-- user among the held, with the same packet. The claim and its journal entry are written by the
-- same script, so either both survive a crash or neither does. A reservation is not a promise: no
-- answer says "won" before Postgres has confirmed it, because Redis may forget.
--
-- A user who waits gets a packet by tapping only if their place is within the free packets. All
-- other users get only the packets that exceed the number of users who wait. So "sold-out" means:
-- every packet that is there, or is to be released, is already spoken for.
--
-- A server that is full or cannot write its file refuses the whole script before it begins. The
-- first line of this file asks for that. Without it the server would refuse only the first write
-- that needs memory, and taking a packet needs none. Calls that write nothing are answered all the
-- same, because the same text then runs once more as a script that may not write. In that run a pop
-- is an error. It means nothing where there is no packet; where there is one, the next write
-- refuses the call.
--
-- Every redis.call costs more than the Lua around it, and every value that goes in or out costs
-- again. So each activity costs a fixed handful of calls, whatever the number of users. An open
-- gate spares the look at the clock, because the server itself removes the gate in time. All
-- holders are read at once, all packets taken at once, and all winners written at once. The whole
-- call leaves one journal entry, whose text is the answer as well. The answer is one text of lines,
-- because a list of texts costs more.

-- One user alone while the gate is open, as on a quiet day: the same steps as for many users,
-- without those that only many need. This comes first because even the functions below cost
-- something.
if #ARGV == 4 and redis.call('GET', KEYS[2]) == ARGV[4] then
  local user = ARGV[3]
  local held = redis.call('HGET', KEYS[5], user)
  if held then
    return '\n\n' .. user .. ' ' .. held .. '\nsold-out'
  end
  local packet = redis.pcall('RPOP', KEYS[4])
  if not packet or packet.err and redis.call('LLEN', KEYS[4]) == 0 then
    return '\n\n\nsold-out'
  end
  redis.call('HSET', KEYS[5], user, packet)
  local won = user .. ' ' .. packet
  return redis.call('XADD', KEYS[1], '*', ARGV[1], won) .. '\n' .. won .. '\n\nsold-out'
end

local owner = ARGV[#ARGV]
local marked = 0

-- Returns the format of an activity whose gate says "<owner>" or "v<format> <owner>", if that is us
-- and we know the format.
local function format_by(door)
  if door == owner then
    return 1
  end
  local format, whose = string.match(door, '^v(%d+) (.*)$')
  return whose == owner and tonumber(format) <= format_max and tonumber(format)
end

-- Returns the answer for users who get nothing and, where packets may be drawn, the number of users
-- who wait for one, and of packets that are not released. The first user to come in time, while no
-- user waits, opens the gate.
local function look(gate_key, state_key, packets_key, waitlist_key)
  local gate = redis.call('GET', gate_key)
  if gate == owner then
    return 'sold-out', 0, 0
  end
  local number, times, door = string.match(gate or '', '^(%d+) (%d+ %d+) (.*)$')
  local format = gate and format_by(door or gate)
  if format then
    marked = format >= format_marked and math.max(marked, format) or marked
    return number and 'not-yet ' .. times or 'sold-out', 0, tonumber(number or 0)
  end
  local state = redis.call('HMGET', state_key, 'status', 'opensAt', 'closesAt', 'owner', 'format',
    'packetCursor', 'announced', 'parts', 'pace')
  local status, opens_at, closes_at = state[1], state[2], state[3]
  format, door = tonumber(state[5] or '1'), owner
  if (state[4] or '') ~= owner or format > format_max then
    return 'not-loaded'
  end
  if format >= format_marked then
    marked, door = math.max(marked, format), 'v' .. format .. ' ' .. owner
  end
  if state[8] then
    return 'parts ' .. state[8]
  end
  if status ~= 'open' then
    return status == 'closed' and 'closed' or 'not-loaded'
  end
  local clock = redis.call('TIME')
  local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
  if now >= tonumber(closes_at) then
    return 'over'
  end
  if now < tonumber(opens_at) then
    return 'not-open ' .. opens_at
  end
  local waiting = redis.call('ZCARD', waitlist_key)
  local held_back, next_at = 0
  if state[9] then
    held_back, next_at = unreleased(state[9], now)
  end
  if state[7] and tonumber(state[7]) > tonumber(state[6]) then
    return 'adding', waiting, held_back
  end
  if held_back > 0 and (waiting == 0 or waiting < redis.call('LLEN', packets_key)) then
    times = next_at .. ' ' .. closes_at
    -- A gate for less time is not worth its write.
    if waiting == 0 and next_at - now > 20 then
      redis.pcall('SET', gate_key, held_back .. ' ' .. times .. ' ' .. door, 'PXAT', string.format('%.0f', next_at - 1))
    end
    return 'not-yet ' .. times, waiting, held_back
  end
  if waiting == 0 then
    -- A key is gone after its last millisecond, and closesAt is the first one that is too late. A
    -- server that takes no writes gets no gate, which costs time and nothing else.
    redis.pcall('SET', gate_key, door, 'PXAT', string.format('%.0f', closes_at - 1))
  end
  return 'sold-out', waiting, held_back
end

-- Returns the users who get a packet while others wait: first those who have waited, with the
-- moments at which they joined.
local function entitled(users, packets_key, waitlist_key, waiting, held_back)
  local free = redis.call('LLEN', packets_key) - held_back
  local winners, moments, others = {}, {}, {}
  for i = 1, free > 0 and #users or 0 do
    local place = redis.call('ZRANK', waitlist_key, users[i])
    if not place and #others < free - waiting then
      others[#others + 1] = users[i]
    elseif place and place < free then
      winners[#winners + 1] = users[i]
      moments[#moments + 1] = redis.call('ZSCORE', waitlist_key, users[i])
    end
  end
  for i = 1, #others do
    winners[#winners + 1] = others[i]
  end
  return winners, moments
end

local reply = { '' }
local entry = {}
local arg = 1

for key = 2, #KEYS, 5 do
  local packets_key, claims_key, waitlist_key = KEYS[key + 2], KEYS[key + 3], KEYS[key + 4]
  local activity_id, user_count = ARGV[arg], tonumber(ARGV[arg + 1])
  local first_user = arg + 2
  arg = first_user + user_count

  local won, held = '', ''
  local rest, waiting, held_back = look(KEYS[key], KEYS[key + 1], packets_key, waitlist_key)
  if rest ~= 'not-loaded' then
    local packets = redis.call('HMGET', claims_key, unpack(ARGV, first_user, arg - 1))

    -- Separates holders, with their packets, from users without one, each once however often they
    -- tap.
    local holders, users, seen = {}, {}, {}
    for i = 1, user_count do
      local user, packet = ARGV[first_user + i - 1], packets[i]
      if packet then
        holders[#holders + 1] = user
        holders[#holders + 1] = packet
      elseif not seen[user] then
        seen[user] = true
        users[#users + 1] = user
      end
    end
    held = table.concat(holders, ' ')

    local moments
    local served = waiting and #users or 0
    if waiting and waiting > 0 then
      users, moments = entitled(users, packets_key, waitlist_key, waiting, held_back)
      served = #users
    elseif held_back and held_back > 0 then
      served = math.min(served, redis.call('LLEN', packets_key) - held_back)
    end
    local popped = served > 0 and redis.pcall('RPOP', packets_key, served)
    if popped and popped.err and redis.call('LLEN', packets_key) == 0 then
      popped = nil
    end
    if popped then
      local claims = {}
      for i = 1, #popped do
        claims[2 * i - 1], claims[2 * i] = users[i], popped[i]
      end
      redis.call('HSET', claims_key, unpack(claims))
      won = table.concat(claims, ' ')

      local waited = moments and #moments or 0
      if waited > 0 then
        local since = table.concat(moments, ' ')
        rest = rest .. ' ' .. since
        entry[#entry + 1] = activity_id .. ' waitlist ' .. since
        entry[#entry + 1] = table.concat(claims, ' ', 1, 2 * waited)
        redis.call('ZREM', waitlist_key, unpack(users, 1, waited))
      end
      if waited < #popped then
        entry[#entry + 1] = activity_id
        entry[#entry + 1] = waited > 0 and table.concat(claims, ' ', 2 * waited + 1) or won
      end
    end
  end
  reply[#reply + 1] = won
  reply[#reply + 1] = held
  reply[#reply + 1] = rest
end

if #entry > 0 and marked > 0 then
  reply[1] = redis.call('XADD', KEYS[1], '*', 'v' .. marked, '', unpack(entry))
elseif #entry > 0 then
  reply[1] = redis.call('XADD', KEYS[1], '*', unpack(entry))
end

return table.concat(reply, '\n')
