-- `unreleased` returns the number of packets that plans hold back, and the instant at which the next
-- one is released. Both in integers, below 2^53. O(log waves) for each plan.
--
--   plans  one for each batch of packets that has one, with ";" between: "even <count> <from> <until>
--          <shift> <parts>", or "waves <at>:<released> <at>:<released> ...", with 13 and 7 digits
--          and the sums of all waves so far. plan-text.ts writes them
--
-- Part p of several holds the packets whose number leaves p when divided by `parts`, so of the first
-- n packets of a batch it holds floor((n + shift) / parts).
--
-- Both functions are put before a script in one line, so no comment may follow code on a line.

local function unreleased_of(plan, now)
  local count, from, till, shift, parts = string.match(plan, '^even (%d+) (%d+) (%d+) (%d+) (%d+)$')
  if count then
    local length = till - from
    local released = math.max(0, math.min(tonumber(count), math.floor(count * (now - from) / length) + 1))
    local share = math.floor((released + shift) / parts)
    local next_no = (share + 1) * parts - shift
    return math.floor((count + shift) / parts) - share, from + math.ceil((next_no - 1) * length / count)
  end
  local low, high = 0, (#plan - 5) / 22
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if tonumber(string.sub(plan, 22 * middle - 15, 22 * middle - 3)) <= now then
      low = middle
    else
      high = middle - 1
    end
  end
  local released = low > 0 and string.sub(plan, 22 * low - 1, 22 * low + 5) or 0
  local at = tonumber(string.sub(plan, 22 * low + 7, 22 * low + 19))
  return (tonumber(string.sub(plan, -7)) or 0) - released, at
end

local function unreleased(plans, now)
  local held_back, next_at = 0, math.huge
  for plan in string.gmatch(plans, '[^;]+') do
    local count, at = unreleased_of(plan, now)
    if count > 0 then
      held_back, next_at = held_back + count, math.min(next_at, at)
    end
  end
  return held_back, next_at
end
