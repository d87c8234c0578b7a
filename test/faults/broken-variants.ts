import type { Edit } from './edit';
import type { Term } from './kind';

/** A bug that is planted in the system, so that money is lost, paid twice or promised in vain. */
export interface Variant {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly kinds: readonly string[];
  /** The terms of the rains; random if undefined. */
  readonly terms?: readonly Term[];
  /** The complaint that the checker must make; a different one would not prove that it sees this bug. */
  readonly complaint: RegExp;
}

const GRAB_SERVICE = 'src/core/grab/tap/grab.service.js';
const CLAIM_TABLE = 'migrations/baseline/claim.sql';
const LEDGER = 'migrations/baseline/wallet.sql';
const SETTLEMENT = 'src/core/wallet/settlement.repository.js';
const LOADER = 'src/core/recovery/restore/activity-loader.js';
const CLOSINGS = 'src/core/lifecycle/close/closing.repository.js';
const SEND = 'src/extensions/payout/send';
const LUA = 'libs/redis-scripts/lua';
const CONFIRM = 'src/core/grab/confirm/confirm.sql';
const TICKETS = 'src/extensions/ticket/tickets.js';

const ALL_DUE = 'delete from unsettled_claim where claim_id = any($1::bigint[])';

export const VARIANTS: readonly Variant[] = [
  {
    name: 'answers before it confirms',
    edits: [{ file: GRAB_SERVICE, from: `this.config.GRAB_ACK === 'redis'`, to: 'true' }],
    kinds: ['redis-tail-loss'],
    complaint: /LOST/,
  },
  {
    name: 'commits that are not durable',
    edits: [
      {
        file: 'src/platform/postgres/data-source.js',
        from: 'keepAlive: true,',
        to: `keepAlive: true, options: '-c synchronous_commit=off',`,
      },
    ],
    kinds: ['kill-postgres'],
    complaint: /LOST/,
  },
  {
    name: 'no constraint: one claim per packet',
    edits: [
      { file: CLAIM_TABLE, from: 'constraint claim_packet_once unique (activity_id, packet_no),', to: '' },
    ],
    kinds: ['redis-tail-loss', 'stale-replica'],
    complaint: /I4 has/,
  },
  {
    name: 'no constraint: one claim per user, and a load that omits the holders',
    edits: [
      { file: CLAIM_TABLE, from: 'constraint claim_user_once unique (activity_id, user_id),', to: '' },
      { file: LOADER, from: 'await this.loadClaims(tx, activity, place);', to: '' },
    ],
    kinds: ['flushall'],
    complaint: /I4 has|later/,
  },
  {
    name: 'closing does not conflict with confirmations',
    edits: [
      { file: CLOSINGS, from: `status = 'active' for update`, to: `status = 'active' for no key update` },
    ],
    kinds: ['slow-commits-across-close:flushall'],
    complaint: /I7 has|was refunded/,
  },
  {
    name: 'loading that is not idempotent, and nobody adds up what Redis has',
    edits: [
      {
        file: 'src/core/recovery/mend/activity-check.js',
        from: 'packetsLeft + held !== size',
        to: 'packetsLeft < 0',
      },
      {
        file: `${LUA}/load-begin.lua`,
        from: `return { status, redis.call('HGET', state_key, 'packetCursor') }`,
        to: 'return { status, 0 }',
      },
      { file: `${LUA}/append-packets.lua`, from: ` and state[2] == cursor_before`, to: '' },
    ],
    kinds: ['failpoint:load.between-pages', 'failpoint:load.before-open'],
    complaint: /Redis lists|I9 has/,
  },
  {
    name: 'reservations without a journal',
    edits: [
      { file: `${LUA}/grab.lua`, from: 'if #entry > 0 then', to: 'if false then' },
      { file: `${LUA}/grab.lua`, from: `redis.call('XADD', KEYS[1], '*', ARGV[1], won)`, to: `''` },
    ],
    kinds: ['kill-postgres', 'failpoint:confirm.before-commit'],
    complaint: /Redis knows|heard sold-out/,
  },
  {
    name: 'no sweep of unpaid claims',
    edits: [
      {
        file: 'src/core/wallet/unsettled-sweep.js',
        from: `(0, _schedule.Repeats)('UnsettledSweep',`,
        to: '(() => () => undefined)(',
      },
    ],
    kinds: ['failpoint:enqueue.before-add', 'failpoint:confirm.after-commit'],
    complaint: /claims are unsettled/,
  },
  {
    name: 'refunds what Redis has left',
    edits: [
      {
        file: 'src/core/lifecycle/close/activity-closing.js',
        from: 'await this.closings.remainder(tx, id);',
        to: `(await this.refusal.standings.own.redis.lrange(this.refusal.standings.keys.activity(id).packets, 0, -1)).reduce((sum, packet) => sum + BigInt(packet.split(':')[1]), 0n);`,
      },
    ],
    kinds: ['slow-commits-across-close:flushall'],
    complaint: /I7 has|was refunded/,
  },
  {
    name: 'credits without a key',
    edits: [
      {
        file: SETTLEMENT,
        from: `${ALL_DUE}\n         returning claim_id as id, activity_id, user_id, amount_minor, attempts`,
        to: `select id, activity_id, user_id, amount_minor, 0 as attempts from claim where id = any($1::bigint[])
             ), done as (${ALL_DUE}`,
      },
      {
        file: LEDGER,
        from: 'constraint transfer_once unique nulls not distinct (kind, source_id, activity_id),',
        to: '',
      },
    ],
    kinds: ['lost-reply:postgres', 'kill-worker'],
    complaint: /was paid \d+ times/,
  },
  {
    name: 'pays a user for only one win per batch, however many they have',
    edits: [{ file: SETTLEMENT, from: `sum(amount_minor) as minor,`, to: `max(amount_minor) as minor,` }],
    kinds: ['kill-worker', 'kill-redis'],
    complaint: /the wallet of \S+ holds/,
  },
  {
    name: 'Postgres is believed to have whatever Redis remembers',
    edits: [
      {
        file: 'src/core/dispenser/shard-histories.js',
        from: 'mark ? includes(mark, notes.mark) : this.wasSame(notes)',
        to: 'true',
      },
    ],
    kinds: ['lost-commits'],
    complaint: /LOST|Redis knows|I9 has/,
  },
  {
    name: 'adds packets without announcing them',
    edits: [
      {
        file: 'src/core/lifecycle/add/packet-additions.js',
        from: 'await this.loader.announce(activity, packetCount).catch((cause)=>{',
        to: 'await Promise.resolve().catch((cause)=>{',
      },
    ],
    kinds: ['failpoint:top-up.after-commit'],
    complaint: /committed packets/,
  },
  {
    name: 'a cached plan of the confirmation reads all packets',
    edits: [
      {
        file: CONFIRM,
        from: 'set plan_cache_mode = force_custom_plan',
        to: 'set plan_cache_mode = force_generic_plan',
      },
    ],
    kinds: ['old-partitions-locked'],
    complaint: /waits for old partitions/,
  },
  {
    name: 'payout requests that forget the answers to their keys',
    edits: [
      {
        file: 'src/platform/http/idempotency/idempotency.service.js',
        from: 'if (answered.length === 0) return;',
        to: 'return;',
      },
    ],
    kinds: ['withdraw'],
    complaint: /have not exactly that payout/,
  },
  {
    name: 'a time-out of a payout counts as a failure, and gives the money back',
    edits: [
      {
        file: `${SEND}/channel-client.js`,
        from: `reason: 'did not answer in time'`,
        to: `kind: 'outcome', outcome: 'refused', code: 'user-closed'`,
      },
    ],
    kinds: ['payout:slow'],
    complaint: /was given back/,
  },
  {
    name: 'a payment that is not found is requested again at once',
    edits: [
      { file: `${SEND}/answers.js`, from: 'return isQuarantineOver ? false : undefined', to: 'return false' },
      {
        file: `${SEND}/due-calls.js`,
        from: 'isQuarantineOver && notFound >= NOT_FOUND_MIN',
        to: 'notFound >= 1',
      },
    ],
    kinds: ['payout:slow'],
    complaint: /the receiver has paid \S+ \d+ times/,
  },
  {
    name: 'a new number for a payment whose outcome is unknown',
    edits: [
      {
        file: `${SEND}/channel-client.js`,
        from: '({ id, attempt })=>`${id}a${attempt}`',
        to: "({ id, attempt, state })=>`${id}a${state === 'reserved' ? attempt : attempt + 1}`",
      },
    ],
    kinds: ['payout:lies', 'payout:slow'],
    complaint: /at the receiver/,
  },
  {
    name: 'a sender that continues with others only when nobody is in trouble',
    edits: [
      {
        file: `${SEND}/due-calls.js`,
        from: 'const calls = await this.fill(tx, channel, turn, limit, false);',
        to: 'const calls = turn.hasTrouble ? [] : await this.fill(tx, channel, turn, limit, false);',
      },
    ],
    kinds: ['payout:users-unknown'],
    complaint: /in vain for the payouts of all but/,
  },
  {
    name: 'a code that everybody sees once its winner has seen it',
    edits: [
      {
        file: 'src/extensions/code-pool/won-code.service.js',
        from: 'if (shown?.userId !== userId)',
        to: 'if (!shown)',
      },
    ],
    kinds: ['kill-api'],
    terms: ['codes'],
    complaint: /which somebody else has won/,
  },
  {
    name: 'a shown code that goes back to its pool',
    edits: [
      {
        file: 'src/extensions/code-pool/code-pool.repository.js',
        from: 'and not exists (select from claim where claim.activity_id = $1 and claim.packet_no = packet_no.packet_no)',
        to: '',
      },
    ],
    kinds: ['kill-api'],
    terms: ['codes'],
    complaint: /the pool has \d+ free/,
  },
  {
    name: 'a code in a log',
    edits: [
      {
        file: 'src/extensions/code-pool/won-code.service.js',
        from: 'code: key.open(shown.no, shown.sealed)',
        to: 'code: (console.log(key.open(shown.no, shown.sealed)), key.open(shown.no, shown.sealed))',
      },
    ],
    kinds: ['kill-api'],
    terms: ['codes'],
    complaint: /codes appear in a log/,
  },
  {
    name: 'a limit that is judged without the lock',
    edits: [{ file: CONFIRM, from: 'do update set wins = win_count.wins where false', to: 'do nothing' }],
    kinds: ['kill-worker', 'kill-redis'],
    terms: ['limit'],
    complaint: /wins, and the limit is/,
  },
  {
    name: 'a rehearsal that counts towards the limits on real wins',
    edits: [
      {
        file: 'src/core/lifecycle/create/activity-creation.js',
        from: 'return isPlay ? {',
        to: 'return false ? {',
      },
    ],
    kinds: ['kill-worker', 'kill-redis'],
    terms: ['limit', 'rehearsal'],
    complaint: /heard limit below the limit/,
  },
  {
    name: 'wins that are counted after the commit',
    edits: [
      { file: CONFIRM, from: 'where firsts is not null\n', to: 'where false\n' },
      {
        file: 'src/core/grab/confirm/claim.repository.js',
        from: "join(', ')})`, args);",
        to: `join(', ')})\`, args);
        if (form === 'confirm_limited') await this.db.query(\`update win_count set wins = counted.wins, days = counted.days from (
               select user_id, sponsor_id, sum(n) as wins, jsonb_object_agg(day, n) as days from (
                 select claim.user_id, sponsor_id, to_char(confirmed_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as n
                   from claim join activity on activity.id = activity_id where limits is not null group by 1, 2, 3) as of_day
                group by 1, 2) as counted
              where win_count.user_id = counted.user_id and win_count.sponsor_id = counted.sponsor_id\`);`,
      },
    ],
    kinds: ['kill-worker', 'kill-redis'],
    terms: ['limit'],
    complaint: /wins, and the limit is/,
  },
  {
    name: 'a plan that releases all packets at once',
    edits: [{ file: `${LUA}/grab.lua`, from: 'if state[9] then', to: 'if false then' }],
    kinds: ['kill-api'],
    terms: ['pace'],
    complaint: /packets were won when/,
  },
  {
    name: 'added packets that lose their plan',
    edits: [{ file: `${LUA}/append-packets.lua`, from: `if pace ~= '' then`, to: 'if false then' }],
    kinds: ['failpoint:top-up.after-commit', 'failpoint:top-up.before-commit'],
    terms: ['pace'],
    complaint: /packets were won when/,
  },
  {
    name: 'the tickets of other users are accepted',
    edits: [{ file: TICKETS, from: 'sub === userId && ', to: '' }],
    kinds: ['kill-api'],
    terms: ['tickets'],
    complaint: /borrowed was let in/,
  },
  {
    name: 'the signature of a ticket is not checked',
    edits: [
      {
        file: TICKETS,
        from: 'return verify(ticket);',
        to: `return { header: {}, payload: JSON.parse(Buffer.from(ticket.split('.')[1], 'base64url').toString()) };`,
      },
    ],
    kinds: ['kill-api'],
    terms: ['tickets'],
    complaint: /forged was let in/,
  },
  {
    name: 'an audience that nobody checks',
    edits: [
      {
        file: 'src/extensions/audience/audience-rule.js',
        from: 'return isInsider ? ADMITTED : undefined;',
        to: 'return ADMITTED;',
      },
    ],
    kinds: ['kill-api'],
    terms: ['audience'],
    complaint: /outsider \S+ heard/,
  },
  {
    name: 'winners who become outsiders when their code is replaced',
    edits: [
      {
        file: 'src/core/grab/admission/admissions.js',
        from: 'isHolder: holders.has(question)',
        to: 'isHolder: false',
      },
    ],
    kinds: ['kill-worker'],
    terms: ['audience'],
    complaint: /has won, and heard activity.not_found/,
  },
  {
    name: 'a hold that the journal forgets',
    edits: [
      {
        file: 'libs/redis-scripts/journal-entry.js',
        from: 'const hold = held !== undefined || ',
        to: 'const hold = ',
      },
    ],
    kinds: ['failpoint:confirm.before-commit', 'kill-postgres'],
    terms: ['tickets'],
    complaint: /is not held/,
  },
  {
    name: 'a hold that settlement does not know of',
    edits: [
      {
        file: 'src/core/grab/confirm/claim.repository.js',
        from: '({ hold })=>hold ?? false',
        to: '()=>false',
      },
    ],
    kinds: ['kill-worker'],
    terms: ['tickets'],
    complaint: /is not held/,
  },
  {
    name: 'a log that waits for no late commit',
    edits: [
      {
        file: 'src/extensions/claim-log/claim-log-leader.js',
        from: 'await this.outlastWriters(tx) && isWhole',
        to: 'isWhole',
      },
    ],
    kinds: ['slow-commits-across-close'],
    complaint: /are not in the log/,
  },
  {
    name: 'a sender that trusts a Postgres which has lost calls',
    edits: [
      { file: 'src/extensions/payout/book/lost-calls.js', from: 'where not ${IS_KNOWN}', to: 'where false' },
    ],
    kinds: ['payout:lost-wins'],
    terms: [],
    complaint: /at the receiver and/,
  },
  {
    name: 'an erasure that leaves the id in the audit log',
    edits: [{ file: 'src/core/audit/schema.js', from: `'subject (noun:id)',`, to: '' }],
    kinds: ['kill-api'],
    terms: ['erasures'],
    complaint: /has left appears in audit_log/,
  },
  {
    name: 'jobs that keep the users whom they have paid',
    edits: [
      {
        file: 'src/core/wallet/settlement.processor.js',
        from: '            paid,\n            buried\n        };',
        to: `paid, buried, users: await this.settlement.settlements.dataSource.query('select user_id from claim where id = any($1)', [job.data.claimIds]) };`,
      },
    ],
    kinds: ['kill-api'],
    terms: ['erasures'],
    complaint: /has left appears in Redis in \{bull\}/,
  },
  {
    name: 'an erasure that prints whom it has forgotten',
    edits: [
      {
        file: 'src/extensions/erasure/erasing.js',
        from: 'is done: ${pseudonym}.',
        to: 'is done: ${erasure.userId} is ${pseudonym}.',
      },
    ],
    kinds: ['kill-api'],
    terms: ['erasures'],
    complaint: /has left appears in the log of a run/,
  },
  {
    name: 'a statement that says when it was read',
    edits: [
      {
        file: 'src/extensions/statement/texts.js',
        from: `foot: ()=>'\\n]}\\n'`,
        to: 'foot: ()=>`\\n],"readAt":${Date.now()}}\\n`',
      },
    ],
    kinds: ['kill-api'],
    terms: ['erasures'],
    complaint: /statements\/\S+ has changed/,
  },
  {
    name: 'an erasure that empties the wallet',
    edits: [
      {
        file: 'src/extensions/erasure/erasure.repository.js',
        from: `set status = 'frozen' where`,
        to: `set status = 'frozen', balance_minor = 0 where`,
      },
    ],
    kinds: ['kill-api'],
    terms: ['erasures'],
    complaint: /the wallets of those who have left hold 0/,
  },
];
