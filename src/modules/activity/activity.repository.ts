import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { CloseWhen, ConfirmedClaim, Dealt, Ending, PacketPage } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import type { Caller } from '../../platform/http';
import { copyRows, type Queries } from '../../platform/postgres';
import { type Activity, type ActivityFacts, type Intention, mayManage, type NewActivity } from './activity';
import { noSuchActivity } from './activity.error';
import { partitionsFile } from './schema';

/** This many are stored well within the time that a statement has. */
const PACKETS_PER_COPY = 100_000;
const PACKETS_PER_TEXT = 2_000;

/** Claims or packets of a page, and so the items of one Redis command: Lua cannot take many more arguments at once. */
const ITEMS_PER_PAGE = 2_000;

/** A page that looks for the packets of one part may be larger, but what was added may all be in that part. */
const PAGES_AT_ONCE_MAX = 2;

/** Made from the seed, which is random and secret. */
const BIRTH = `left(encode(sha256(convert_to(activity.seed, 'UTF8')), 'hex'), 16)`;

/** Settled: what is left in the escrow is only what operators have resolved without a payment. */
const ACTIVITY = `
  select activity.id, activity.name, sponsor_id as "sponsorId", sponsor_account_id as "sponsorAccountId",
         escrow_account_id as "escrowAccountId", activity.currency, total_minor as "totalMinor",
         packet_count as "packetCount", activity.parts, opens_at as "opensAt", closes_at as "closesAt",
         activity.created_at as "createdAt", ${BIRTH} as birth, closed_at as "closedAt", activity.status, ending,
         archived_at is not null as "isArchived",
         activity.status <> 'active' and escrow.balance_minor = (
           select coalesce(sum(amount_minor), 0) from dead_letter where activity_id = activity.id and status = 'resolved'
         ) as settled,
         now() as "readAt"
    from activity
    join account escrow on escrow.id = escrow_account_id`;

/** Whether Redis has held an ended activity for long enough, by the clock of Postgres. */
const IS_OVER = `closed_at <= now() - $2 * interval '1 second'`;

/** A part of an activity, and over how many that is dealt. */
export interface PartOf {
  readonly part: number;
  readonly parts: number;
}

const WHOLE: PartOf = { part: 0, parts: 1 };

/** Over how many parts a packet of `activity` was dealt: those that were added may all be in part 0, which is `no % 1`. */
export const dealtOver = (no: string): string =>
  `coalesce((select top_up.parts from top_up
              where top_up.activity_id = activity.id and top_up.first_no <= ${no}
              order by top_up.first_no desc limit 1), activity.parts)`;

/** How many of the numbers from one to another lie in a part: those up to the last, without those before the first. */
const countOfPart = (first: string, last: string): string =>
  `(${last} - part + activity.parts) / activity.parts - (${first} - 1 - part + activity.parts) / activity.parts`;

export interface ActivityFilter {
  readonly sponsorId?: string;
  readonly isActive?: boolean;
}

export interface EndedActivity extends Pick<Activity, 'id' | 'birth' | 'parts' | 'opensAt' | 'closesAt'> {
  readonly isTidied: boolean;
  /** Redis should hold nothing of it any more. */
  readonly isOver: boolean;
}

export interface EndedInRedis extends Pick<EndedActivity, 'id' | 'parts' | 'isTidied' | 'isOver'> {
  /** As Postgres writes it: a Date would lose its microseconds, and with them its place in the order. */
  readonly closedAt: string;
}
/** When an activity may be ended, by the clock of Postgres. */
const MAY_END: Record<CloseWhen, string> = {
  'any-time': 'true',
  'before-opening': `opens_at > clock_timestamp() and not exists (select from claim where activity_id = activity.id)`,
  'after-closing': 'closes_at <= clock_timestamp()',
};

const INTENTION = `ending, ending_at >= closes_at as "isDue", ending_at::text as "decidedAt"`;

@Injectable()
export class ActivityRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  async findActivity(id: string, db: Queries = this.dataSource): Promise<Activity | undefined> {
    const [row] = await db.query<Activity[]>(`${ACTIVITY} where activity.id = $1`, [id]);
    return row && withTotal(row);
  }

  /** @throws activityNotFound also for callers who may not manage it: they cannot tell the difference */
  async managedBy(caller: Caller, id: string, db?: Queries): Promise<Activity> {
    const activity = await this.findActivity(id, db);
    if (!activity || !mayManage(caller, activity)) throw noSuchActivity(id);
    return activity;
  }

  /** Newest first, older than `beforeId` where given. `isActive`: whether it has not been closed or cancelled. */
  async list(
    { sponsorId, isActive }: ActivityFilter,
    beforeId: string | undefined,
    limit: number,
  ): Promise<Activity[]> {
    const rows = await this.dataSource.query<Activity[]>(
      `${ACTIVITY}
        where ($1::bigint is null or activity.id < $1)
          and ($3::text is null or sponsor_id = $3)
          and ($4::boolean is null or (activity.status = 'active') = $4)
        order by activity.id desc limit $2`,
      [beforeId, limit, sponsorId, isActive],
    );
    return rows.map(withTotal);
  }

  /** How much longer the window of an activity is open, by the clock of Postgres; 0 for one that has ended. */
  async windowRemainingMs(activityId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ remainingMs: number }[]>(
      `select 1000 * extract(epoch from closes_at - clock_timestamp())::float8 as "remainingMs"
         from activity where id = $1 and status = 'active'`,
      [activityId],
    );
    return row?.remainingMs ?? 0;
  }

  async facts(activityId: string): Promise<ActivityFacts | undefined> {
    const [row] = await this.dataSource.query<ActivityFacts[]>(
      `select status, packet_count as "packetCount" from activity where id = $1`,
      [activityId],
    );
    return row;
  }

  /** Over how many parts each of these is dealt. */
  async dealt(ids: readonly string[], db: Queries = this.dataSource): Promise<Dealt[]> {
    return db.query<Dealt[]>(`select id, parts from activity where id = any($1::bigint[])`, [ids]);
  }

  /** The id of a new activity, whose packets, claims and credits have a place. */
  async nextId(tx: EntityManager): Promise<string> {
    const [row] = await tx.query<{ id: string }[]>(
      `select nextval(pg_get_serial_sequence('activity', 'id')) as id`,
    );
    await this.makePartitions(row!.id, tx);
    return row!.id;
  }

  /** Makes a place for what belongs to activities up to this one, or, without it, to those that are still to come. */
  async makePartitions(upTo?: string, db: Queries = this.dataSource): Promise<void> {
    await db.query(`select make_partitions_${partitionsFile.version}($1, $2)`, [
      upTo ?? null,
      this.config.PARTITION_ACTIVITIES,
    ]);
  }

  async now(tx: EntityManager): Promise<Date> {
    const [row] = await tx.query<{ now: Date }[]>(`select now() as now`);
    return row!.now;
  }

  async insert(tx: EntityManager, activity: NewActivity): Promise<void> {
    await tx.query(
      `insert into activity (id, name, sponsor_id, sponsor_account_id, escrow_account_id, currency, total_minor,
                             packet_count, split, seed, opens_at, closes_at, parts)
       overriding system value
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        activity.id,
        activity.name,
        activity.sponsorId,
        activity.sponsorAccountId,
        activity.escrowAccountId,
        this.config.CURRENCY,
        activity.totalMinor,
        activity.packetCount,
        JSON.stringify(activity.split),
        activity.seed,
        activity.opensAt,
        activity.closesAt,
        activity.parts,
      ],
    );
  }

  /** Packets are numbered from `firstNo` on. Written in slices, so that memory does not grow with their number. */
  async insertPackets(
    tx: EntityManager,
    activityId: string,
    amountsMinor: BigInt64Array,
    firstNo = 1,
  ): Promise<void> {
    for (let start = 0; start < amountsMinor.length; start += PACKETS_PER_COPY) {
      const amounts = amountsMinor.subarray(start, start + PACKETS_PER_COPY);
      const rows = packetRows(activityId, firstNo + start, amounts);
      await copyRows(tx, 'packet (activity_id, no, amount_minor)', rows);
    }
  }

  /**
   * Packets without a claim, after `afterNo`, in the order of their numbers. Postgres writes the pages as Redis reads
   * them: a million packets as objects would cost seconds, and a hundred megabytes of garbage. The last page reaches up
   * to the end, even when all of its packets are claimed, so that the reader of all pages has read up to packet_count.
   *
   * Where the activity is dealt over several parts, only the packets of one of them, in pages that reach further.
   */
  async *unclaimedPackets(
    tx: EntityManager,
    activityId: string,
    afterNo: number,
    pageSize = ITEMS_PER_PAGE,
    { part, parts } = WHOLE,
  ): AsyncGenerator<PacketPage> {
    const isOfPart = parts > 1 ? `and no % ${dealtOver('no')} = ${part}` : '';
    const slices = this.pages<PacketPage>(
      tx,
      `select least(start + $3, packet_count) as "lastNo", coalesce(page.text, '') as text
         from activity
        cross join generate_series($2::integer, packet_count - 1, $3::integer) as start
        cross join lateral (
          select string_agg(no || ':' || amount_minor, ' ' order by no) as text
            from packet
           where activity_id = $1 and no > start and no <= start + $3 ${isOfPart}
             and not exists (select from claim
                              where claim.activity_id = $1 and claim.packet_no = packet.no
                                and claim.packet_no > start and claim.packet_no <= start + $3)
        ) as page
        where activity.id = $1
        order by start`,
      [activityId, afterNo, pageSize * Math.min(parts, PAGES_AT_ONCE_MAX)],
      1,
    );
    for await (const pages of slices) yield* pages;
  }

  /** All claims of an activity, with their parts where it is dealt over several. */
  async *claims(tx: EntityManager, activityId: string, parts = 1): AsyncGenerator<ConfirmedClaim[]> {
    const pages = this.pages<{ no: number; user_id: string; amount: string; part?: number }>(
      tx,
      parts === 1
        ? `select packet_no as no, user_id, amount_minor as amount from claim where activity_id = $1`
        : `select packet_no as no, user_id, amount_minor as amount, packet_no % ${dealtOver('packet_no')} as part
             from claim join activity on activity.id = activity_id where activity_id = $1`,
      [activityId],
      ITEMS_PER_PAGE,
    );
    for await (const rows of pages) {
      yield rows.map(({ no, user_id, amount, part }) => ({
        activityId,
        userId: user_id,
        packet: { no, amountMinor: BigInt(amount) },
        part,
      }));
    }
  }

  /** How many packets each part of an activity has. */
  async partSizes(activityId: string, db: Queries = this.dataSource): Promise<number[]> {
    const rows = await db.query<{ size: number }[]>(
      `select (${countOfPart('1', 'packet_count')} + coalesce(other, 0))::integer as size
         from activity
        cross join generate_series(0, activity.parts - 1) as part
         left join lateral (
           select sum(case part when 0 then top_up.packet_count else 0 end
                      - (${countOfPart('first_no', 'first_no + top_up.packet_count - 1')})) as other
             from top_up where activity_id = activity.id and top_up.parts = 1
         ) as elsewhere on true
        where activity.id = $1
        order by part`,
      [activityId],
    );
    return rows.map(({ size }) => size);
  }

  /** The rows of one query in slices, read through a cursor: planned once, and never all in memory. */
  private async *pages<Row>(
    tx: EntityManager,
    sql: string,
    values: unknown[],
    size: number,
  ): AsyncGenerator<Row[]> {
    await tx.query(`declare page no scroll cursor for ${sql}`, values);
    for (;;) {
      const rows = await tx.query<Row[]>(`fetch ${size} from page`);
      if (rows.length === 0) break;
      yield rows;
    }
    await tx.query('close page');
  }

  /**
   * Decides that an activity ends, if the clock of Postgres allows it; the first decision stands. Undefined when nothing is
   * decided: it is not the time, or it has ended.
   */
  async intend(id: string, when: CloseWhen): Promise<Intention | undefined> {
    const [rows] = await this.dataSource.query<[Intention[], number]>(
      `update activity set ending = $2, ending_at = clock_timestamp()
        where id = $1 and status = 'active' and ending is null and ${MAY_END[when]}
       returning ${INTENTION}, true as "isNew"`,
      [id, when === 'before-opening' ? 'cancelled' : 'closed'],
    );
    return rows[0] ?? this.intention(id);
  }

  /** The decision that stands. */
  async intention(id: string): Promise<Intention | undefined> {
    const [row] = await this.dataSource.query<Intention[]>(
      `select ${INTENTION}, false as "isNew" from activity where id = $1 and status = 'active' and ending is not null`,
      [id],
    );
    return row;
  }

  /** Takes a decision back, unless it was carried out or has been replaced by another. */
  async withdraw(id: string, { decidedAt }: Intention): Promise<void> {
    await this.dataSource.query(
      `update activity set ending = null, ending_at = null
        where id = $1 and status = 'active' and ending_at = $2::timestamptz`,
      [id, decidedAt],
    );
  }

  /** Whether an activity is active, and nobody has decided that it ends. */
  async goesOn(tx: EntityManager, id: string): Promise<boolean> {
    const rows: unknown[] = await tx.query(
      `select from activity where id = $1 and status = 'active' and ending is null`,
      [id],
    );
    return rows.length > 0;
  }

  /** Final only under the lock of {@link lockActive}. */
  async hasClaims(id: string, db: Queries = this.dataSource): Promise<boolean> {
    const rows: unknown[] = await db.query(`select from claim where activity_id = $1 limit 1`, [id]);
    return rows.length > 0;
  }

  /**
   * Locks an activity that is still active against every confirmation, top-up and other closer; undefined when it is not.
   * What is read after this is final: confirmations hold the row FOR KEY SHARE, which this lock, and no weaker one, waits for
   * and then keeps out.
   */
  async lockActive(tx: EntityManager, id: string): Promise<Activity | undefined> {
    const rows: unknown[] = await tx.query(
      `select id from activity where id = $1 and status = 'active' for update`,
      [id],
    );
    return rows.length > 0 ? this.findActivity(id, tx) : undefined;
  }

  /** What nobody has claimed. Final only under the lock of {@link lockActive}. */
  async remainder(tx: EntityManager, id: string): Promise<bigint> {
    const [row] = await tx.query<{ remainder: string }[]>(
      `select (select coalesce(sum(amount_minor), 0) from packet where activity_id = $1)
            - (select coalesce(sum(amount_minor), 0) from claim where activity_id = $1) as remainder`,
      [id],
    );
    return BigInt(row!.remainder);
  }

  async setClosed(tx: EntityManager, id: string, status: Ending): Promise<void> {
    await tx.query(
      `update activity
          set status = $2, closed_at = clock_timestamp(), ending = $2, ending_at = coalesce(ending_at, clock_timestamp())
        where id = $1`,
      [id, status],
    );
  }

  /** How many activities of a sponsor are active, those of this transaction included; not counted beyond `max`. */
  async activeOf(tx: EntityManager, sponsorId: string, max: number): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(
      `select count(*)::integer as count
         from (select from activity where sponsor_id = $1 and status = 'active' limit $2) as active`,
      [sponsorId, max],
    );
    return row!.count;
  }

  /**
   * Active activities that somebody has decided to end, and those whose window has ended by the clock of Postgres, in the
   * order of their ids, after `afterId`.
   */
  async toEnd(afterId: string, limit: number): Promise<string[]> {
    const rows: { id: string }[] = await this.dataSource.query(
      `select id from activity
        where status = 'active' and (ending is not null or closes_at <= clock_timestamp()) and id > $1
        order by id limit $2`,
      [afterId, limit],
    );
    return idsOf(rows);
  }

  /** Active activities that nobody has decided to end, in the order of their ids, after `afterId`. */
  async active(
    afterId: string,
    limit: number,
  ): Promise<{ id: string; packetCount: number; parts: number; birth: string }[]> {
    return this.dataSource.query(
      `select id, packet_count as "packetCount", parts, ${BIRTH} as birth from activity
        where status = 'active' and ending is null and id > $1 order by id limit $2`,
      [afterId, limit],
    );
  }

  /** How many are active. Until the transaction ends nothing about any activity changes: only the owner of the table may. */
  async countAndHoldActive(tx: EntityManager): Promise<number> {
    await tx.query(`lock table activity in share mode`);
    const [row] = await tx.query<{ count: number }[]>(
      `select count(*)::integer as count from activity where status = 'active'`,
    );
    return row!.count;
  }

  /** All active activities. */
  async allActive(): Promise<Dealt[]> {
    return this.dataSource.query(`select id, parts from activity where status = 'active' order by id`);
  }

  /** One that has ended, as Redis should know it; undefined while it is active. */
  async findEnded(tx: EntityManager, id: string): Promise<EndedActivity | undefined> {
    const [row] = await tx.query<EndedActivity[]>(
      `select id, parts, opens_at as "opensAt", closes_at as "closesAt", ${BIRTH} as birth, tidied_at is not null as "isTidied",
              forgotten_at is not null or ${IS_OVER} as "isOver"
         from activity where id = $1 and status <> 'active'`,
      [id, this.config.ENDED_KEPT_SECONDS],
    );
    return row;
  }

  /** Ended activities of which Redis holds anything, or may, longest over first, after the one given. */
  endedInRedis(after: EndedInRedis | undefined, limit: number): Promise<EndedInRedis[]> {
    const { closedAt = '-infinity', id = '0' } = after ?? {};
    return this.dataSource.query(
      `select id, parts, closed_at::text as "closedAt", tidied_at is not null as "isTidied", ${IS_OVER} as "isOver"
         from activity
        where status <> 'active' and forgotten_at is null and (closed_at, id) > ($1, $3)
        order by closed_at, id limit $4`,
      [closedAt, this.config.ENDED_KEPT_SECONDS, id, limit],
    );
  }

  async allEndedInRedis(): Promise<Dealt[]> {
    return this.dataSource.query(
      `select id, parts from activity where status <> 'active' and forgotten_at is null order by closed_at desc`,
    );
  }

  /** Those of the given activities that Redis should hold nothing of. */
  async forgottenAmong(ids: readonly string[]): Promise<string[]> {
    return idsOf(
      await this.dataSource.query(
        `select id from activity where id = any($1::bigint[]) and forgotten_at is not null`,
        [ids],
      ),
    );
  }

  async setTidied(tx: EntityManager, id: string): Promise<void> {
    await tx.query(`update activity set tidied_at = clock_timestamp() where id = $1 and tidied_at is null`, [
      id,
    ]);
  }

  async setForgotten(tx: EntityManager, id: string): Promise<void> {
    await tx.query(
      `update activity set forgotten_at = clock_timestamp(), tidied_at = coalesce(tidied_at, clock_timestamp())
        where id = $1 and forgotten_at is null`,
      [id],
    );
  }
}

function* packetRows(activityId: string, firstNo: number, amountsMinor: BigInt64Array): Generator<string> {
  for (let start = 0; start < amountsMinor.length; start += PACKETS_PER_TEXT) {
    let rows = '';
    for (const [i, amountMinor] of amountsMinor.subarray(start, start + PACKETS_PER_TEXT).entries())
      rows += `${activityId}\t${firstNo + start + i}\t${amountMinor}\n`;
    yield rows;
  }
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

const withTotal = (row: Activity): Activity => ({ ...row, totalMinor: BigInt(row.totalMinor) });
