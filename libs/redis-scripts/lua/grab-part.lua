#!lua
-- @script  grab-part
-- @keys    journal (state packets claims waitlist sentOn)*
-- @args    (activityId parts sendTo visits userCount userId*)* owner
-- @returns lines: journalEntryId (won held sent rest left)*
--
--   rp:{shard}:journal                stream  reservations not yet confirmed, one entry per call:
--                                             "v2" -> "", and then as in grab.lua:
--                                             activityId -> "<userId> <packet> <userId> ..."
--   rp:{shard}:<activityId>:state     hash    status, opensAt, closesAt (ms), owner, format, parts,
--                                             packetCursor, announced, pace
--   rp:{shard}:<activityId>:packets   list    "<packetNo>:<amountMinor>", packets of this part
--                                             without a holder
--   rp:{shard}:<activityId>:claims    hash    userId -> "<packetNo>:<amountMinor>", then "!" once
--                                             it is confirmed
--   rp:{shard}:<activityId>:waitlist  zset    users who wait and hold no packet, by the moment of
--                                             joining; in part 0 alone
--   rp:{shard}:<activityId>:away      hash    userId -> the parts to which this one has sent them
--                                             on, "<part> <part> ..."
--
-- Hands out packets of one part of activities that are dealt over several (grab.lua is for all
-- others). O(users).
--
--   parts   the number of parts that the caller believes in: the state has to agree
--   sendTo  the part to which users are sent on if they find no packet here; "" when there is none
--   visits  how often these users have come here before on the same way
--
-- Answers as grab.lua does, with two lines more:
--
--   sent  users who are sent on, now or before, with all that is noted after `visits`:
--         "<userId> <part>,<part>,... <userId> <part> ..."
--   left  packets that are left for users who do not wait, those included that are not released
--
-- "not-yet" is answered where a user finds no released packet: each part follows the plans for its
-- own packets, and no user is sent on before the last of them is released, unless users wait for
-- all of them.
--
-- The note of where a user was sent is written before they go, and stays until the way becomes too
-- long (note-sent-on.lua). So every process that asks here first finds the packet that the user is
-- given there. Therefore a note has precedence over a packet of this list and over "closed", but
-- not over a packet that the user holds here. Users who come here again, because packets have come
-- here meanwhile, are sent on by the next note. So each user has one way through the parts, which
-- grows at its end alone, and all their taps come to the same end, whichever program asks.
--
-- In part 0 users who wait are served by assign-waitlist.lua, and by nothing else: only packets
-- that exceed their number are for all others. In other parts a worker draws for them, as their
-- taps would.
--
-- There is no gate: programs that do not know parts would believe it without a look at the state.
--
-- grab.lua explains a server that takes no writes. There, users are sent on only by notes that
-- exist already.

local owner = ARGV[#ARGV]
local mark = 2

-- Returns the answer for users who get nothing and, where packets may be drawn, the number of
-- packets that are not released, with the answer as long as one of these is free.
local function look(state_key, parts)
  local state = redis.call('HMGET', state_key, 'status', 'opensAt', 'closesAt', 'owner', 'format', 'parts',
    'packetCursor', 'announced', 'pace')
  if (state[4] or '') ~= owner or tonumber(state[5] or '1') > format_max or state[6] ~= parts then
    return 'not-loaded'
  end
  if tonumber(state[5]) >= format_marked then
    mark = math.max(mark, tonumber(state[5]))
  end
  if state[1] ~= 'open' then
    return state[1] == 'closed' and 'closed' or 'not-loaded'
  end
  local clock = redis.call('TIME')
  local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
  if now >= tonumber(state[3]) then
    return 'over'
  end
  if now < tonumber(state[2]) then
    return 'not-open ' .. state[2]
  end
  local held_back, next_at = 0
  if state[9] then
    held_back, next_at = unreleased(state[9], now)
  end
  if state[8] and tonumber(state[8]) > tonumber(state[7]) then
    return 'adding', held_back, 'adding'
  end
  return 'sold-out', held_back, held_back > 0 and 'not-yet ' .. next_at .. ' ' .. state[3]
end

-- Returns the parts that this user tries next, after `visits` earlier visits.
local function next_parts(notes, visits)
  local parts = {}
  for part in string.gmatch(notes, '%d+') do
    parts[#parts + 1] = part
  end
  return parts[visits + 1] and table.concat(parts, ',', visits + 1)
end

local reply = { '' }
local entry = { '', '' }
local arg = first_arg

for key = first_key, #KEYS, 5 do
  local packets_key, claims_key, waitlist_key, sent_on_key = KEYS[key + 1], KEYS[key + 2], KEYS[key + 3], KEYS[key + 4]
  local activity_id, parts, send_to = ARGV[arg], ARGV[arg + 1], ARGV[arg + 2]
  local visits, user_count = tonumber(ARGV[arg + 3]), tonumber(ARGV[arg + 4])
  local first_user = arg + 5
  arg = first_user + user_count

  local won, held, sent, left = '', '', '', 0
  local rest, held_back, waits = look(KEYS[key], parts)
  if rest ~= 'not-loaded' then
    local packets = redis.call('HMGET', claims_key, unpack(ARGV, first_user, arg - 1))
    local notes = redis.call('HMGET', sent_on_key, unpack(ARGV, first_user, arg - 1))

    -- Separates holders, with their packets, from users who were sent on, and from all others, each
    -- once however often they tap.
    local holders, followers, users, seen = {}, {}, {}, {}
    for i = 1, user_count do
      local user = ARGV[first_user + i - 1]
      local way = notes[i] and next_parts(notes[i], visits)
      if packets[i] then
        holders[#holders + 1] = user
        holders[#holders + 1] = packets[i]
      elseif way then
        followers[#followers + 1] = user
        followers[#followers + 1] = way
      elseif not seen[user] then
        seen[user] = notes[i] and notes[i] .. ' ' or ''
        users[#users + 1] = user
      end
    end
    held = table.concat(holders, ' ')

    if held_back then
      local waiting = redis.call('ZCARD', waitlist_key)
      left = math.max(0, redis.call('LLEN', packets_key) - waiting)
      if left == 0 then
        held_back = 0
      elseif held_back > 0 then
        rest = waits
      end
      local served = math.max(0, math.min(#users, left - held_back))
      if served > 0 then
        local popped = redis.call('RPOP', packets_key, served)
        local claims = {}
        for i = 1, served do
          claims[2 * i - 1], claims[2 * i] = users[i], popped[i]
        end
        redis.call('HSET', claims_key, unpack(claims))
        if waiting > 0 then
          redis.call('ZREM', waitlist_key, unpack(users, 1, served))
        end
        won = table.concat(claims, ' ')
        entry[#entry + 1] = activity_id
        entry[#entry + 1] = won
        left = left - served
      end
      local going = {}
      for i = served + 1, send_to ~= '' and held_back == 0 and #users or 0 do
        going[#going + 1] = users[i]
        going[#going + 1] = seen[users[i]] .. send_to
      end
      local noted = #going > 0 and redis.pcall('HSET', sent_on_key, unpack(going))
      if type(noted) == 'number' then
        for i = 1, #going, 2 do
          followers[#followers + 1] = going[i]
          followers[#followers + 1] = send_to
        end
      end
    end
    sent = table.concat(followers, ' ')
  end
  reply[#reply + 1] = won
  reply[#reply + 1] = held
  reply[#reply + 1] = sent
  reply[#reply + 1] = rest
  reply[#reply + 1] = tostring(left)
end

if #entry > 2 then
  entry[1] = 'v' .. mark
  reply[1] = redis.call('XADD', journal_key, '*', unpack(entry))
end

return table.concat(reply, '\n')
