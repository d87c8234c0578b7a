import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { type Dealt, OwnRedis, type RedisClient } from '../../libs/redis-scripts';
import { DispenserParts } from '../harness/dispenser-parts';
import { columnsWith, keysWith } from '../erasure/search';
import { waitFor } from '../harness/engines';
import { PLAY_MONEY } from '../../src/core/currency';
import { isDoubted, ShardHistories } from '../../src/core/dispenser';
import { Foundation } from '../../src/core/reconciliation/foundation';
import { invariants } from '../../src/invariants';
import { schema } from '../../src/schema';
import { RedisAgreement } from '../../src/core/reconciliation/redis-agreement';
import { type Finding, VerificationService } from '../../src/core/reconciliation';
import { DefaultCurrency, loadConfig } from '../../src/platform/config';
import type { Currency } from '../../libs/money';
import { dataSourceOptions } from '../../src/platform/postgres';
import { JWT_SECRET } from './api-call';
import { SHARDS } from './service';
import type { System } from './system';

export interface ClaimRow {
  readonly userId: string;
  readonly packetNo: number;
  readonly amountMinor: bigint;
  readonly credits: number;
  readonly dead: boolean;
  /** True if it was ever held. */
  readonly held: boolean;
  readonly void: boolean;
  readonly confirmedAtMs: number;
}

export interface HeldLetter {
  readonly id: string;
  readonly claimId: string;
  readonly activityId: string;
  readonly userId: string;
}

export interface ActivityRow {
  readonly status: string;
  readonly totalMinor: bigint;
  readonly refundedMinor: bigint;
  readonly unclaimed: number;
  /** The balance of the sponsor, whose activities all belong to the round. */
  readonly sponsorMinor: bigint;
  /** All play money that was made for the sponsor's rehearsals. Undefined for a real activity. */
  readonly mintedMinor?: bigint;
}

type ReadActivity = Record<Exclude<keyof ActivityRow, 'mintedMinor'>, string> & {
  readonly mintedMinor: string | null;
};

/** Reads the engines' data directly, bypassing the proxies and the programs. */
export class EngineReader {
  private constructor(
    private readonly system: System,
    private readonly postgres: DataSource,
    private readonly redis: RedisClient,
    private readonly parts: DispenserParts,
    readonly currency: Currency,
    private readonly foundation: Foundation,
    private readonly histories: ShardHistories,
  ) {}

  static async open(system: System): Promise<EngineReader> {
    const { postgres, redisSide } = system;
    const databaseUrl = postgres.url;
    const config = loadConfig({
      NODE_ENV: 'test',
      DATABASE_URL: databaseUrl,
      REDIS_URL: 'redis://127.0.0.1:1',
      JWT_SECRET,
    });
    const options = dataSourceOptions({ databaseUrl, poolMax: 2, patient: true });
    const dataSource = await new DataSource(options).initialize();
    const redis = redisSide.connect();
    const parts = new DispenserParts(new OwnRedis(redis, SHARDS));
    return new EngineReader(
      system,
      dataSource,
      redis,
      parts,
      new DefaultCurrency(config),
      new Foundation(config, schema),
      new ShardHistories(parts.shardTrust, parts.own, dataSource),
    );
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    await this.postgres.destroy();
  }

  async reconnected(): Promise<void> {
    if (!(this.redis instanceof Redis)) return;
    this.redis.options.port = this.system.redis.port;
    this.redis.disconnect(true);
    // An attempt at the old address may fail first.
    await waitFor(() => this.redis.ping(), { what: 'Redis at its new address' });
  }

  /**
   * Returns a line for each invariant that does not hold.
   * @param except the id of an invariant that is judged elsewhere
   */
  async brokenInvariants(except?: string): Promise<string[]> {
    return (await this.verify())
      .filter(({ id, breaches }) => breaches > 0 && id !== except)
      .map(({ id, title, breaches }) => `${id} has ${breaches} breaches: ${title}`);
  }

  /** Checks every invariant of `npm run verify`, over everything ever written. */
  async verify(): Promise<Finding[]> {
    const agreement = new RedisAgreement(this.postgres, this.parts.contents, this.parts.standings);
    const verification = new VerificationService(this.postgres, agreement, this.foundation, invariants);
    // The first run is an operator's next one, which seals; the second compares the seals.
    const { findings } = await verification.verifyUnsealed();
    return [...(await verification.verify()), ...findings];
  }

  /** The columns of all tables that contain a text. */
  columnsWith(text: string): Promise<string[]> {
    return columnsWith(this.postgres, text);
  }

  /** The keys of all Redis servers whose name or value contains a text. */
  async keysWith(text: string): Promise<string[]> {
    const servers = this.redis instanceof Redis ? [this.redis] : this.redis.nodes('master');
    return (await Promise.all(servers.map((server) => keysWith(server, text)))).flat();
  }

  async unrest(): Promise<string | undefined> {
    const lengths = await Promise.all(
      this.parts.keys.shards.map(async (shard) => (await this.parts.journals.standing(shard)).entries),
    );
    const journal = lengths.reduce((sum, length) => sum + length, 0);
    if (journal > 0) return `${journal} journal entries are undecided`;
    const untold = await this.untoldShards();
    if (untold > 0) return `${untold} shards have not been told all claims`;
    const [row] = await this.postgres.query<{ unsettled: string; unlogged: string }[]>(
      `select (select count(*) from unsettled_claim) as unsettled,
              (select count(*) from claim left join claim_leaf using (activity_id, packet_no)
                where leaf_index is null) as unlogged`,
    );
    if (row!.unsettled !== '0') return `${row!.unsettled} claims are unsettled`;
    return row!.unlogged === '0' ? undefined : `${row!.unlogged} claims are not in the log`;
  }

  /** A shard that was not told all claims may lack some, or remember some that Postgres has lost. */
  async untoldShards(): Promise<number> {
    return (await this.histories.judgeShards()).filter(isDoubted).length;
  }

  standing(rain: Dealt): Promise<{ status?: string; packetsLeft: number; held: number }> {
    return this.parts.standings.whole(rain);
  }

  /** Packets left in the part that serves waiting users. */
  async leftForWaiting(activityId: string): Promise<number> {
    return (await this.parts.standings.readStanding(this.parts.keys.placeOf(activityId))).packetsLeft;
  }

  waiting(activityId: string): Promise<number> {
    return this.redis.zcard(this.parts.keys.activity(activityId).waitlist);
  }

  async claims(activityId: string): Promise<ClaimRow[]> {
    const rows = await this.postgres.query<(Omit<ClaimRow, 'amountMinor'> & { amountMinor: string })[]>(
      `select claim.user_id as "userId", packet_no as "packetNo", claim.amount_minor as "amountMinor",
              (select count(*)::int from transfer where kind = 'credit' and source_id = claim.id) as credits,
              coalesce(letter.status in ('open', 'void'), false) as dead, coalesce(letter.reason = 'held', false) as held,
              coalesce(letter.status = 'void', false) as void,
              floor(extract(epoch from confirmed_at) * 1000)::float8 as "confirmedAtMs"
         from claim
         left join dead_letter letter on letter.claim_id = claim.id
        where claim.activity_id = $1`,
      [activityId],
    );
    return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
  }

  heldLetters(activityIds: readonly string[]): Promise<HeldLetter[]> {
    return this.postgres.query(
      `select id, claim_id as "claimId", activity_id as "activityId", user_id as "userId" from dead_letter
        where activity_id = any($1) and status = 'open' and reason = 'held' order by id`,
      [activityIds],
    );
  }

  /** Returns which of these checkpoints Postgres no longer has, in their order. */
  async checkpoints(notes: readonly string[]): Promise<{ lost: string[]; verifierKey: string }> {
    const rows = await this.postgres.query<{ note: string; verifierKey: string }[]>(
      `select note, verifier_key as "verifierKey" from claim_checkpoint`,
    );
    const kept = new Set(rows.map(({ note }) => note));
    return { lost: notes.filter((note) => !kept.has(note)), verifierKey: rows[0]?.verifierKey ?? '' };
  }

  openLetters(activityId: string): Promise<{ id: string; userId: string }[]> {
    return this.postgres.query(
      `select id, user_id as "userId" from dead_letter where activity_id = $1 and status = 'open'`,
      [activityId],
    );
  }

  async activity(activityId: string): Promise<ActivityRow> {
    const [row] = await this.postgres.query<ReadActivity[]>(
      `select status, total_minor as "totalMinor",
              (select coalesce(sum(amount_minor), 0) from transfer where kind = 'refund' and activity_id = activity.id)
                as "refundedMinor",
              packet_count - (select count(*) from claim where activity_id = activity.id) as unclaimed,
              (select balance_minor from account where id = sponsor_account_id) as "sponsorMinor",
              case when currency = '${PLAY_MONEY}' then
                (select coalesce(sum(amount_minor), 0) from transfer
                  where kind = 'deposit' and credit_account_id = sponsor_account_id) end as "mintedMinor"
         from activity
        where id = $1`,
      [activityId],
    );
    return {
      status: row!.status,
      totalMinor: BigInt(row!.totalMinor),
      refundedMinor: BigInt(row!.refundedMinor),
      unclaimed: Number(row!.unclaimed),
      sponsorMinor: BigInt(row!.sponsorMinor),
      mintedMinor: row!.mintedMinor === null ? undefined : BigInt(row!.mintedMinor),
    };
  }

  /**
   * Returns what the wallets of these users hold plus what they have paid out, in the currency of an activity. Users
   * without a wallet are left out.
   */
  async wallets(userIds: readonly string[], activityId: string): Promise<Map<string, bigint>> {
    const rows = await this.postgres.query<{ owner_id: string; balance_minor: string }[]>(
      `select owner_id, balance_minor + coalesce((
                select sum(amount_minor) from payout
                 where wallet_account_id = account.id and state not in ('review', 'refused', 'returned')
              ), 0) as balance_minor
         from account where kind = 'wallet' and owner_id = any($1)
            and currency = (select currency from activity where id = $2)`,
      [userIds, activityId],
    );
    return new Map(rows.map((row) => [row.owner_id, BigInt(row.balance_minor)]));
  }
}
