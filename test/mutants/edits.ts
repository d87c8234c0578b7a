/** A mistake that a developer might make in SQL or Lua, which Stryker does not read. */
export interface Edit {
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** The spec that fails with it. */
  readonly spec: string;
  /** Part of the name of the test that fails, if the others there take long. */
  readonly test?: string;
}

const CONFIRM = 'src/core/grab/confirm/confirm.sql';
const GRAB = 'libs/redis-scripts/lua/grab.lua';
const DUE = 'src/extensions/payout/send/due.repository.ts';
const PACE = 'src/extensions/payout/send/pace.repository.ts';
const STATES = 'src/extensions/payout/book/state.repository.ts';
const PAYOUTS = 'src/extensions/payout/book/payout.repository.ts';
const UNSENT = 'src/extensions/payout/gather/unsent.repository.ts';
const CHANNELS = 'src/extensions/payout/channel/channel.repository.ts';
const FILES = 'src/extensions/payout/statement/statement.repository.ts';
const FINDINGS = 'src/extensions/payout/channel/finding.repository.ts';
const LOST = 'src/extensions/payout/book/lost-calls.ts';
const CODES = 'src/extensions/code-pool/code-pool.repository.ts';
const WON_CODES = 'src/extensions/code-pool/won-code.repository.ts';

const settlement = (name: string): string => `test/settlement/${name}.spec`;
const codes = settlement('code-pools');
const sums = settlement('payout-sums');
const calls = settlement('calls');
const inTrouble = settlement('users-in-trouble');
const lostCalls = settlement('lost-calls');
const limits = (test: string): Pick<Edit, 'spec' | 'test'> => ({ spec: settlement('limits'), test });

const edit = (file: string, seenBy: string | Pick<Edit, 'spec' | 'test'>, from: string, to = ''): Edit => ({
  file,
  from,
  to,
  ...(typeof seenBy === 'string' ? { spec: seenBy } : seenBy),
});

export const EDITS: readonly Edit[] = [
  edit(CONFIRM, limits('count together in one group'), 'wins < per_user', 'wins <= per_user'),
  edit(
    CONFIRM,
    limits('hold on each day of a user'),
    '(days->>today)::integer, 0) < per_day',
    '(days->>today)::integer, 0) <= per_day',
  ),
  edit(CONFIRM, limits('count together in one group'), 'set wins = wins + 1,', 'set wins = 1,'),
  edit(
    CONFIRM,
    limits('hold if each win of a user'),
    'jsonb_build_object(today, coalesce((days->>today)::integer, 0) + 1)',
    'jsonb_build_object(today, 1)',
  ),
  edit(
    CONFIRM,
    limits('hold on each day of a user'),
    'order by abs(key::date - today::date), key limit 8',
    'order by key limit 8',
  ),
  edit(CONFIRM, limits('hold on each day of a user'), `when days ? today or days = '{}'`, 'when true'),
  edit(
    CONFIRM,
    limits('hold if each win of a user'),
    'do update set wins = win_count.wins where false',
    'do nothing',
  ),
  edit(CONFIRM, limits('make a win wait'), 'then moment else early end', 'then moment else moment end'),
  edit(CONFIRM, limits('make a win wait'), 'then moment else early end', 'then early else early end'),
  edit(CONFIRM, limits('hold if each win of a user'), '< count(counter) then', '< 0 then'),
  edit(CONFIRM, limits('distinguish two users'), 'filter (where hold)', 'filter (where not hold)'),
  edit(CONFIRM, limits('distinguish two users'), 'coalesce(firsts ? jsonb', 'coalesce(not firsts ? jsonb'),
  edit(
    CONFIRM,
    limits('do not count the first win'),
    '(select count(*) from confirmed) < cardinality(allowed)',
    'false',
  ),
  edit(CONFIRM, limits('distinguish two users'), `|| ' ' || user_id as reserved`, 'as reserved'),
  edit(
    CONFIRM,
    limits('hold if each win of a user'),
    'and not (this_turn = 1 and firsts ?',
    'and (this_turn = 1 and firsts ?',
  ),
  edit(CONFIRM, limits('hold on each day of a user'), 'moment at time zone time_zone', 'moment'),
  edit(CONFIRM, limits('hold on each day of a user'), `moment at time zone (limits->>'timeZone')`, 'moment'),
  edit(CONFIRM, limits('give exactly the allowed wins'), 'where turn = this_turn) as win', ') as win'),
  edit(
    CONFIRM,
    limits('count together in one group'),
    `and status = 'active' and limits is null`,
    `and status = 'active'`,
  ),
  edit(
    CONFIRM,
    limits('of a rain that has ended'),
    `and status = 'active' and limits is null`,
    'and limits is null',
  ),
  edit(CONFIRM, limits('of a rain that has ended'), `last_ids[i] and status = 'active'`, 'last_ids[i]'),
  edit(
    CONFIRM,
    limits('apply to wins that a sweeper confirms'),
    'where to_hold is null or not to_hold ? reserved',
  ),
  edit(CONFIRM, settlement('confirm'), 'and no = reservation.packet_no', 'and no = 1'),

  edit(
    GRAB,
    'test/dispenser/ownership.spec',
    `and redis.call('GET', KEYS[2]) == ARGV[4]`,
    `and redis.call('GET', KEYS[2])`,
  ),
  edit(
    GRAB,
    'test/dispenser/grab-outcomes.spec',
    'if now >= tonumber(closes_at) then',
    'if now >= tonumber(closes_at) + 86400000 then',
  ),
  edit(
    GRAB,
    'test/dispenser/grab-outcomes.spec',
    'if now < tonumber(opens_at) then',
    'if now < tonumber(opens_at) - 86400000 then',
  ),
  edit(GRAB, 'test/dispenser/grab.spec', 'elseif not seen[user] then', 'else'),
  edit(
    GRAB,
    'test/dispenser/pace.spec',
    `math.min(served, redis.call('LLEN', packets_key) - held_back)`,
    'served',
  ),
  edit(
    GRAB,
    'test/dispenser/pace.spec',
    `redis.call('LLEN', packets_key) - held_back\n  local winners`,
    `redis.call('LLEN', packets_key)\n  local winners`,
  ),
  edit(GRAB, settlement('waitlist'), '#others < free - waiting', '#others < free'),
  edit(GRAB, 'test/dispenser/grab-outcomes.spec', 'tonumber(state[7]) > tonumber(state[6])', 'false'),

  edit(
    STATES,
    sums,
    'where channel_id = $1 and user_id = $2 and day = $3',
    'where channel_id = $1 and user_id = $2 and day >= $3',
  ),
  edit(
    STATES,
    sums,
    'set amount_minor = amount_minor - $4',
    'set amount_minor = amount_minor - 0 * $4::bigint',
  ),
  edit(PAYOUTS, sums, "and expires_at > ${presentByBoth('$2')}", 'and $2::float8 > 0'),
  edit(
    PAYOUTS,
    sums,
    'on channel_id = $1 and day = $2 and payout_day',
    'on channel_id <= $1 and day = $2 and payout_day',
  ),
  edit(
    PAYOUTS,
    sums,
    'on channel_id = $1 and day = $2 and payout_day',
    'on channel_id = $1 and day <= $2 and payout_day',
  ),
  edit(STATES, sums, 'counted.payouts + excluded.payouts', 'counted.payouts'),
  edit(STATES, sums, 'counted.amount_minor + excluded.amount_minor', 'counted.amount_minor'),
  edit(
    UNSENT,
    settlement('unsent'),
    'and due_at <= now() - make_interval(secs => $2)',
    'and due_at <= now() + make_interval(secs => $2)',
  ),

  edit(
    PACE,
    sums,
    'set tokens = tokens - $2, day_minor = day_minor + $3',
    'set tokens = tokens - $2, day_minor = day_minor + 0 * $3::bigint',
  ),
  edit(
    PACE,
    sums,
    'set day_minor = greatest(0, day_minor - $2)',
    'set day_minor = day_minor + 0 * $2::bigint',
  ),
  edit(PACE, calls, 'and day = ($3::timestamptz', 'and day >= ($3::timestamptz'),
  edit(
    DUE,
    sums,
    'coalesce(first_sent_at + make_interval(secs => $3)',
    'coalesce(last_sent_at + make_interval(secs => $3)',
  ),
  edit(DUE, calls, 'and first_sent_at < now() + ${CLOCK_MARGIN}'),
  edit(
    DUE,
    sums,
    'coalesce(last_sent_at + make_interval(secs => $4)',
    'coalesce(first_sent_at + make_interval(secs => $4)',
  ),
  edit(STATES, sums, 'not_found = case when id = any($1) then 0 else not_found end', 'not_found = not_found'),
  edit(DUE, sums, 'order by past.id desc limit 3', 'order by past.id limit 3'),
  edit(DUE, sums, `\n               and \${isWithin('last.ended_at', 600)}`),
  edit(DUE, calls, "and ${isOfChannel('past')} and past.ended_at", 'and past.ended_at'),
  edit(DUE, sums, 'order by ${turn} ${order}, payout.id ${order} limit $2', 'limit $2'),
  edit(PACE, sums, `then \${heldUntil('held_until')} else`, 'then now() + make_interval(secs => $2) else'),
  edit(
    PACE,
    sums,
    `then \${heldUntil('payments_held_until')} else`,
    'then now() + make_interval(secs => $2) else',
  ),

  edit(DUE, calls, `wallet.status = 'active' and not $5::boolean`, 'not $5::boolean'),
  edit(DUE, inTrouble, 'where channel_id = $1 and setbacks > 0', 'where setbacks > 0'),
  edit(DUE, inTrouble, "and ${isOfChannel('payout')} and id <> $3", 'and id <> $3'),
  edit(PACE, calls, 'channel.is_paused as "isPaused"', 'false as "isPaused"'),
  edit(PACE, calls, 'least(greatest(1, $2 / 5.0)', 'least(greatest(1, $2 * 5.0)'),
  edit(PACE, calls, 'set tokens = tokens - $2,', 'set tokens = tokens - 0 * $2::integer,'),
  edit(PACE, inTrouble, 'secs => least(not_found, 1)', 'secs => 600 * not_found'),
  edit(PAYOUTS, calls, 'secs => least(not_found, 1)', 'secs => 0'),
  edit(PAYOUTS, calls, "expires_at > now() - interval '1 minute'", 'expires_at > now()'),
  edit(PAYOUTS, calls, 'And(MoreThan(afterId), Raw(isDecided))', 'MoreThan(afterId)'),
  edit(
    FINDINGS,
    calls,
    "or channel_id = ${id} and kind in ('answer-differs'",
    "or kind in ('answer-differs'",
  ),
  edit(LOST, lostCalls, 'payout.channel_id = finding.channel_id and '),
  edit(
    LOST,
    lostCalls,
    `\n          and date_trunc('milliseconds', created_at) > (detail->>'lastCallAt')::timestamptz`,
  ),

  edit(CHANNELS, sums, `$1 and ended_at is null and state <> 'review'\n`, '$1 and ended_at is null\n'),
  edit(CHANNELS, sums, "(select ${daySum('today', 'day_minor').counted}", '(select day_minor'),
  edit(
    CHANNELS,
    sums,
    'where channel_id = $1 and payout_id is null and released_at is null',
    'where channel_id < $1 and false',
  ),

  edit(FILES, settlement('payout-files'), `and state <> 'review'`),
  edit(FILES, settlement('payout-files'), 'and before.at = excluded.at'),
  edit(FILES, settlement('payout-files'), `detail->>'state' = line.state`, 'true'),
  edit(FILES, settlement('payout-files'), 'and channel_id = $1 and state', 'and channel_id >= $1 and state'),
  edit(
    FILES,
    settlement('payout-files'),
    `state = 'paid' and ended_at >= $2`,
    `state in ('paid', 'returned') and ended_at >= $2`,
  ),
  edit(FILES, settlement('payout-files'), ' and own.channel_id = before.channel_id'),
  edit(
    'src/extensions/payout/gather/paid-out.repository.ts',
    settlement('unsent'),
    'case when released_at is null',
    'case when released_at is not null',
  ),
  edit(
    'src/extensions/sender/received-total.repository.ts',
    settlement('currencies'),
    ' and total.currency = wallet.currency',
  ),
  edit(
    'src/extensions/sender/thanks.repository.ts',
    { spec: 'test/rain/between-people.spec', test: 'are shown with the packet that they were said for' },
    'join thanks using (activity_id, packet_no)',
    'join thanks using (activity_id)',
  ),

  edit('libs/split/batch.ts', 'libs/split/sponsor-word.spec', 'mixOf(this.seed, sponsorSeed!)', 'this.seed'),
  edit(
    'src/core/reconciliation/rain-invariants.ts',
    { spec: 'test/reconciliation/verification.spec' },
    `when terms like '%"v":"3"}' then 3 else 2`,
    `when terms like '%"v":"4"}' then 3 else 2`,
  ),
  edit(
    'src/extensions/fairness/fairness.repository.ts',
    settlement('seeds'),
    `case when status <> 'active' then part.seed end`,
    'case when closes_at <= now() then part.seed end',
  ),
  edit(
    'src/extensions/fairness/fairness.repository.ts',
    settlement('packet-proofs'),
    'first_no <= $2\n                             order by first_no desc',
    'first_no <= $2\n                             order by first_no',
  ),
  edit(
    'src/extensions/approval/solo-deed.repository.ts',
    settlement('approvals'),
    `DAY_SECONDS = 86_400`,
    `DAY_SECONDS = 82_800`,
  ),
  edit(
    'src/extensions/approval/approval.repository.ts',
    settlement('approvals'),
    `status = 'pending' and expires_at > now()`,
    `status = 'pending'`,
  ),

  edit(CODES, codes, 'least(whole, $4 - before)::integer', 'whole'),
  edit(CODES, codes, '$3::integer + before', '$3::integer'),
  edit(CODES, codes, 'select $1, first_no + count, whole - count', 'select $1, first_no, whole - count'),
  edit(CODES, codes, ' and claim.packet_no = packet_no.packet_no'),
  edit(WON_CODES, codes, 'order by first_packet_no desc', 'order by first_packet_no'),
  edit(WON_CODES, codes, 'first_no + $3::integer - first_packet_no', 'first_no'),
];
