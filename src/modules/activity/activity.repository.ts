import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { ConfirmedClaim, PacketPage } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { copyRows } from '../../platform/postgres';
import type { Activity, NewActivity } from './activity';

/** So many are stored well within the time that a statement has. */
const PACKETS_PER_COPY = 100_000;
const PACKETS_PER_TEXT = 2_000;

/** Claims or packets of a page, and so the items of one Redis command: Lua cannot take many more arguments at once. */
const ITEMS_PER_PAGE = 2_000;

/** Settled: what is left in the escrow is only what operators have resolved without a payment. */
const ACTIVITY = `
  select activity.id, activity.name, sponsor_id as "sponsorId", sponsor_account_id as "sponsorAccountId",
         escrow_account_id as "escrowAccountId", activity.currency, total_minor as "totalMinor",
         packet_count as "packetCount", opens_at as "opensAt", closes_at as "closesAt",
         activity.created_at as "createdAt", closed_at as "closedAt", activity.status,
         activity.status <> 'active' and escrow.balance_minor = (
           select coalesce(sum(amount_minor), 0) from dead_letter where activity_id = activity.id and status = 'resolved'
         ) as settled,
         now() as "readAt"
    from activity
    join account escrow on escrow.id = escrow_account_id`;

@Injectable()
export class ActivityRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  async find(id: string, manager: EntityManager = this.dataSource.manager): Promise<Activity | undefined> {
    const [row] = await manager.query<Activity[]>(`${ACTIVITY} where activity.id = $1`, [id]);
    return row && withTotal(row);
  }

  /** Newest first, older than `beforeId` where given. */
  async list(beforeId: string | undefined, limit: number): Promise<Activity[]> {
    const rows = await this.dataSource.query<Activity[]>(
      `${ACTIVITY} where $1::bigint is null or activity.id < $1 order by activity.id desc limit $2`,
      [beforeId ?? null, limit],
    );
    return rows.map(withTotal);
  }

  async nextId(tx: EntityManager): Promise<string> {
    const [row] = await tx.query<{ id: string }[]>(
      `select nextval(pg_get_serial_sequence('activity', 'id')) as id`,
    );
    return row!.id;
  }

  async now(tx: EntityManager): Promise<Date> {
    const [row] = await tx.query<{ now: Date }[]>(`select now() as now`);
    return row!.now;
  }

  async insert(tx: EntityManager, activity: NewActivity): Promise<void> {
    await tx.query(
      `insert into activity (id, name, sponsor_id, sponsor_account_id, escrow_account_id, currency, total_minor,
                             packet_count, split, seed, opens_at, closes_at)
       overriding system value
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
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
   * Packets without a claim, behind `afterNo`, in the order of their numbers. Postgres writes the pages as Redis reads
   * them: a million packets as objects would cost seconds, and a hundred megabytes of garbage. The last page reaches up
   * to the end, also when all of its packets are claimed, so that whoever has read them all has read up to packet_count.
   */
  async *unclaimedPackets(
    tx: EntityManager,
    activityId: string,
    afterNo: number,
    pageSize = ITEMS_PER_PAGE,
  ): AsyncGenerator<PacketPage> {
    const slices = this.pages<PacketPage>(
      tx,
      `select least(start + $3, packet_count) as "lastNo", coalesce(page.text, '') as text
         from activity
        cross join generate_series($2::integer, packet_count - 1, $3::integer) as start
        cross join lateral (
          select string_agg(no || ':' || amount_minor, ' ' order by no) as text
            from packet
           where activity_id = activity.id and no > start and no <= start + $3
             and not exists (select from claim
                              where claim.activity_id = activity.id and claim.packet_no = packet.no
                                and claim.packet_no > start and claim.packet_no <= start + $3)
        ) as page
        where activity.id = $1
        order by start`,
      [activityId, afterNo, pageSize],
      1,
    );
    for await (const pages of slices) yield* pages;
  }

  /** All claims of an activity. */
  async *claims(tx: EntityManager, activityId: string): AsyncGenerator<ConfirmedClaim[]> {
    const pages = this.pages<{ no: number; user_id: string; amount: string }>(
      tx,
      `select packet_no as no, user_id, amount_minor as amount from claim where activity_id = $1`,
      [activityId],
      ITEMS_PER_PAGE,
    );
    for await (const rows of pages) {
      yield rows.map(({ no, user_id, amount }) => ({
        activityId,
        userId: user_id,
        packet: { no, amountMinor: BigInt(amount) },
      }));
    }
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
   * Locks an activity that is still active against every confirmation and every other closer; undefined when it is not.
   * What is read after this is final: confirmations hold the row FOR SHARE, which this lock waits for and then keeps out.
   */
  async lockActive(tx: EntityManager, id: string): Promise<Activity | undefined> {
    const rows: unknown[] = await tx.query(
      `select id from activity where id = $1 and status = 'active' for no key update`,
      [id],
    );
    return rows.length > 0 ? this.find(id, tx) : undefined;
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

  async setClosed(tx: EntityManager, id: string, status: 'closed' | 'cancelled'): Promise<void> {
    await tx.query(`update activity set status = $2, closed_at = clock_timestamp() where id = $1`, [
      id,
      status,
    ]);
  }

  /** Active activities whose window has ended at `now`, longest over first. */
  async due(now: Date, limit: number): Promise<string[]> {
    const rows: { id: string }[] = await this.dataSource.query(
      `select id from activity where status = 'active' and closes_at <= $1 order by closes_at limit $2`,
      [now, limit],
    );
    return idsOf(rows);
  }

  /** Active activities in the order of their ids, behind `afterId`. */
  async active(afterId: string, limit: number): Promise<{ id: string; packetCount: number }[]> {
    return this.dataSource.query(
      `select id, packet_count as "packetCount" from activity
        where status = 'active' and id > $1 order by id limit $2`,
      [afterId, limit],
    );
  }

  /** All active activities. */
  async allActive(): Promise<string[]> {
    return idsOf(await this.dataSource.query(`select id from activity where status = 'active' order by id`));
  }

  /** Activities that ended within the last `minutes`, the latest first. */
  async ended(minutes: number, limit: number): Promise<string[]> {
    const rows: { id: string }[] = await this.dataSource.query(
      `select id from activity
        where status <> 'active' and closed_at > now() - $1 * interval '1 minute' order by closed_at desc limit $2`,
      [minutes, limit],
    );
    return idsOf(rows);
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
