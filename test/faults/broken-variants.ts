import type { Edit } from './edit';

/** A way to build the system wrong. */
export interface Variant {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The kinds of harm that reveal it. */
  readonly kinds: readonly string[];
  /** Only rains over parts reveal it; all others are revealed by rains of one part. */
  readonly overParts?: boolean;
  /** What the checker must say: any other complaint would not prove that it sees this one. */
  readonly complaint: RegExp;
}

const PART_DRAWS = 'src/modules/grab/part-draws.js';
const GRAB_SERVICE = 'src/modules/grab/grab.service.js';
const BOOKS = 'migrations/1795417200000-partition-books.js';
const SETTLEMENT = 'src/modules/wallet/settlement.repository.js';
const LOADER = 'src/modules/recovery/activity-loader.js';
const CLOSINGS = 'src/modules/lifecycle/close/closing.repository.js';
const LUA = 'libs/redis-scripts/lua';

/** A sweep whose method is never called. */
const noSweep = (file: string, name: string): Edit => ({
  file,
  from: `(0, _schedule.Repeats)('${name}',`,
  to: '(() => () => undefined)(',
});

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
    name: 'commits that no standby has',
    edits: [
      {
        file: 'src/platform/postgres/data-source.js',
        from: 'keepAlive: true,',
        to: `keepAlive: true, options: '-c synchronous_commit=local',`,
      },
    ],
    kinds: ['standby-promoted:flushall'],
    complaint: /LOST/,
  },
  {
    name: 'a replica that was promoted is believed',
    edits: [
      {
        file: 'libs/redis-scripts/shard-trust.js',
        from: 'isTrusted: server === serverId',
        to: 'isTrusted: server !== null',
      },
    ],
    kinds: ['cluster:stale-replica'],
    complaint: /Redis lists|Redis knows|later/,
  },
  {
    name: 'a server that gave way and came back is believed, and nobody adds up what Redis has',
    edits: [
      { file: `${LUA}/shard-notes.lua`, from: `run_id .. '.' .. replication_id`, to: 'run_id' },
      {
        file: 'src/modules/recovery/activity-repairs.js',
        from: 'packetsLeft + held !== size',
        to: 'packetsLeft < 0',
      },
    ],
    kinds: ['cluster:give-way-and-back'],
    complaint: /Redis lists|Redis knows|later/,
  },
  {
    name: 'no constraint: one claim a packet',
    edits: [{ file: BOOKS, from: 'constraint claim_packet_once unique (activity_id, packet_no),', to: '' }],
    kinds: ['redis-tail-loss', 'stale-replica'],
    complaint: /I4 has/,
  },
  {
    name: 'no constraint: one claim a user, and a load that leaves the holders out',
    edits: [
      { file: BOOKS, from: 'constraint claim_user_once unique (activity_id, user_id),', to: '' },
      { file: LOADER, from: 'await this.loadClaims(tx, activity, part);', to: '' },
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
        file: 'src/modules/recovery/activity-repairs.js',
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
      {
        file: `${LUA}/grab.lua`,
        from: `redis.call('XADD', KEYS[1], '*', ARGV[1], won)`,
        to: `''`,
      },
    ],
    kinds: ['kill-postgres', 'failpoint:confirm.before-commit'],
    complaint: /Redis knows|heard sold-out/,
  },
  {
    name: 'answers early, and then nobody confirms',
    edits: [
      { file: GRAB_SERVICE, from: 'this.confirmations.confirm(reservation).catch(()=>undefined);', to: '' },
      { file: `${LUA}/grab.lua`, from: 'if #entry > 0 then', to: 'if false then' },
      {
        file: `${LUA}/grab.lua`,
        from: `redis.call('XADD', KEYS[1], '*', ARGV[1], won)`,
        to: `''`,
      },
    ],
    kinds: ['ack-redis'],
    complaint: /LOST/,
  },
  {
    name: 'nobody serves those who wait',
    edits: [noSweep('src/modules/waitlist/waitlist-leader.js', 'WaitlistLeader')],
    kinds: ['failpoint:assign.before-draw', 'void-claims'],
    complaint: /\d+ wait, and \d+ packets are free/,
  },
  {
    name: 'packets for those who joined last',
    edits: [
      {
        file: `${LUA}/assign-waitlist.lua`,
        from: `redis.call('ZRANGE', waitlist_key, 0, count_max - 1, 'WITHSCORES')`,
        to: `redis.call('ZREVRANGE', waitlist_key, 0, count_max - 1, 'WITHSCORES')`,
      },
    ],
    kinds: ['failpoint:assign.before-draw', 'kill-worker'],
    complaint: /was served at place/,
  },
  {
    name: 'grabs that ignore those who wait',
    edits: [{ file: `${LUA}/grab.lua`, from: '#others < free - waiting', to: '#others < free' }],
    kinds: ['void-claims', 'failpoint:assign.before-draw'],
    complaint: /overtook|came when somebody waited who has none/,
  },
  {
    name: 'a place in the waiting list that is lost by asking again',
    edits: [
      {
        file: `${LUA}/join-waitlist.lua`,
        from: `if not redis.call('ZSCORE', waitlist_key, user_id) then`,
        to: 'if true then',
      },
    ],
    kinds: ['void-claims', 'failpoint:assign.before-draw'],
    complaint: /got another place/,
  },
  {
    name: 'no sweep of the journal',
    edits: [noSweep('src/modules/grab/journal-sweep.js', 'JournalSweep')],
    kinds: ['failpoint:grab.after-draw', 'failpoint:confirm.before-commit'],
    complaint: /journal entries are undecided/,
  },
  {
    name: 'no sweep of unpaid claims',
    edits: [noSweep('src/modules/wallet/unsettled-sweep.js', 'UnsettledSweep')],
    kinds: ['failpoint:enqueue.before-add', 'failpoint:confirm.after-commit'],
    complaint: /claims are unsettled/,
  },
  {
    name: 'refunds what Redis has left',
    edits: [
      {
        file: 'src/modules/lifecycle/close/activity-closing.js',
        from: 'await this.closings.remainder(tx, id);',
        to: `(await this.refusal.own.redis.lrange(this.refusal.own.keys.activity(id).packets, 0, -1)).reduce((sum, packet) => sum + BigInt(packet.split(':')[1]), 0n);`,
      },
    ],
    kinds: ['slow-commits-across-close:flushall'],
    complaint: /I7 has|was refunded/,
  },
  {
    name: 'opens before it is loaded, by a slow loader',
    edits: [
      {
        file: LOADER,
        from: `await (0, _failpoint.failpoint)('load.after-begin');`,
        to: `await this.loading.open(activityId, packetCursor); await new Promise((resolve) => setTimeout(resolve, 300));`,
      },
      { file: `${LUA}/append-packets.lua`, from: `state[1] == status and `, to: '' },
    ],
    kinds: ['flushall'],
    complaint: /heard sold-out/,
  },
  {
    name: 'a missing activity is sold out',
    edits: [
      {
        file: `${LUA}/grab.lua`,
        from: `'closed' or 'not-loaded'`,
        to: `'closed' or 'sold-out'`,
      },
    ],
    kinds: ['flushall'],
    complaint: /heard sold-out/,
  },
  {
    name: 'says sold-out now and then, and changes its mind',
    edits: [
      {
        file: `${LUA}/grab.lua`,
        from: `redis.pcall('RPOP', KEYS[4])`,
        to: `redis.call('LLEN', KEYS[4]) % 8 ~= 3 and redis.pcall('RPOP', KEYS[4])`,
      },
    ],
    kinds: ['kill-worker', 'flushall'],
    complaint: /heard sold-out when Redis had: open/,
  },
  {
    name: 'remembers that it was sold out',
    edits: [
      {
        file: 'src/modules/grab/grab.service.js',
        from: `const drawn = await this.draw(activityId, userId);`,
        to: `const drawn = this.soldOut === activityId ? { kind: 'sold-out' } : await this.draw(activityId, userId);
            if (drawn.kind === 'sold-out') this.soldOut = activityId;`,
      },
    ],
    kinds: ['void-claims'],
    complaint: /heard sold-out when Redis had not been asked/,
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
        file: BOOKS,
        from: 'constraint transfer_once unique nulls not distinct (kind, source_id, activity_id),',
        to: '',
      },
    ],
    kinds: ['lost-reply:postgres', 'kill-worker'],
    complaint: /was paid \d+ times/,
  },
  {
    name: 'pays a user once a batch, in however many rains they have won',
    edits: [
      {
        file: SETTLEMENT,
        from: `select user_id, 'wallet', $2, sum(amount_minor),`,
        to: `select user_id, 'wallet', $2, max(amount_minor),`,
      },
    ],
    kinds: ['kill-worker', 'kill-redis'],
    complaint: /the wallet of \S+ holds/,
  },
  {
    name: 'one bad claim holds up its neighbours',
    edits: [
      {
        file: 'src/modules/wallet/settlement.service.js',
        from: 'if (part.claimIds.length > 1 && heldUp < HELD_UP_MAX)',
        to: 'if (part.claimIds.length > 1) throw error; if (false)',
      },
    ],
    kinds: ['poison'],
    complaint: /claims are unsettled/,
  },
  {
    name: 'the clock of the application opens the rain',
    edits: [
      {
        file: `${LUA}/grab.lua`,
        from: `local clock = redis.call('TIME')`,
        to: `local clock = { tonumber(ARGV[#ARGV - 1]) / 1000, 0 }`,
      },
      {
        file: 'libs/redis-scripts/reservations.js',
        from: '(await this.scripts.grab.run(keys, args))',
        to: '(args.splice(-1, 0, Date.now()), await this.scripts.grab.run(keys, args))',
      },
    ],
    kinds: ['wrong-clock'],
    complaint: /won before the opening|heard not-open after|heard closed before/,
  },
  {
    name: 'whatever Redis remembers, Postgres is believed to have',
    edits: [
      {
        file: 'src/modules/dispenser/shard-histories.js',
        from: 'mark ? includes(mark, notes.mark) : this.wasSame(notes)',
        to: 'true',
      },
    ],
    kinds: ['lost-commits'],
    complaint: /LOST|Redis knows|I9 has/,
  },
  {
    name: 'an entry that nobody can read stays in the journal',
    edits: [
      {
        file: 'src/modules/grab/journal.js',
        from: 'await this.quarantine(shard, page.filter(wanted));',
        to: '',
      },
    ],
    kinds: ['malformed-entry'],
    complaint: /journal entries are undecided/,
  },
  {
    name: 'the clock of Redis alone ends a rain',
    edits: [
      { file: CLOSINGS, from: `'closes_at <= clock_timestamp()'`, to: `'true'` },
      { file: CLOSINGS, from: 'or closes_at <= clock_timestamp()', to: 'or true' },
    ],
    kinds: ['clock-step:redis'],
    complaint: /the activity is closed|the activity is missing/,
  },
  {
    name: 'a Redis belongs to nobody',
    edits: [
      {
        file: 'src/modules/dispenser/redis-trust.js',
        from: '()=>this.own.acquire()',
        to: '() => undefined',
      },
      {
        file: 'src/modules/dispenser/dispenser.module.js',
        from: '()=>this.own.belongsToOthers()',
        to: '() => false',
      },
    ],
    kinds: ['two-installations'],
    complaint: /another installation has started/,
  },
  {
    name: 'sold out after one empty part',
    edits: [
      { file: PART_DRAWS, from: 'return sentOn < SENT_ON_MAX ? ', to: 'return sentOn < 0 ? ' },
      { file: PART_DRAWS, from: 'if (this.lengths.areEmpty(activityId, parts))', to: 'if (true)' },
    ],
    kinds: ['kill-worker', 'kill-redis'],
    overParts: true,
    complaint: /heard sold-out when part \d had: open/,
  },
  {
    name: 'believes for a minute that a part was empty',
    edits: [
      {
        file: 'src/modules/grab/part-lengths.js',
        from: 'const FRESH_MS = 100;',
        to: 'const FRESH_MS = 60_000;',
      },
    ],
    kinds: ['void-claims', 'failpoint:assign.before-draw'],
    overParts: true,
    complaint: /heard sold-out when part 0 had: open/,
  },
  {
    name: 'nobody writes down to which part users were sent',
    edits: [
      {
        file: `${LUA}/grab-part.lua`,
        from: `#going > 0 and redis.pcall('HSET', away_key, unpack(going))`,
        to: `#going`,
      },
    ],
    kinds: ['kill-worker', 'failpoint:grab.between-parts'],
    overParts: true,
    complaint: /, later sold-out|I9 has/,
  },
  {
    name: 'little is added to all parts, though somebody waits',
    edits: [
      {
        file: 'src/modules/lifecycle/add/activity-top-up.js',
        from: 'if (parts === 1 || packetCount < parts * _redisscripts.PACKETS_PER_PART_MIN)',
        to: 'if (parts > 1) return true; if (true)',
      },
    ],
    kinds: ['failpoint:assign.before-draw', 'kill-api'],
    overParts: true,
    complaint: /\d+ wait, and \d+ packets are free|came when somebody waited who has none/,
  },
];
