import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { CloseWhen, Ending } from '../../../../libs/redis-scripts';
import type { Queries } from '../../../platform/postgres';
import { type Activity, ActivityRepository, type Intention } from '../../activity';

/** The clock of Postgres decides. */
const MAY_END: Record<CloseWhen, string> = {
  'any-time': 'true',
  'before-opening': `opens_at > clock_timestamp() and not exists (select from claim where activity_id = activity.id)`,
  'after-closing': 'closes_at <= clock_timestamp()',
};

const INTENTION = `ending, ending_at >= closes_at as "isDue", ending_at::text as "decidedAt"`;

export interface Remainder {
  readonly id: string;
  readonly escrowAccountId: string;
  readonly sponsorAccountId: string;
  readonly amountMinor: bigint;
  readonly hasClaims: boolean;
}

/** The remainder of an activity without packets. */
const NOTHING_LEFT = { remainder: '0', hasClaims: false };

@Injectable()
export class ClosingRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly activities: ActivityRepository,
  ) {}

  /**
   * Decides that an activity ends, if the clock of Postgres allows it; the first decision stands.
   * Undefined if it is not yet time, or the activity has ended.
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

  /** The same for many; leaves out activities whose window is not over, that have ended, or that are locked. */
  async intendDue(ids: readonly string[]): Promise<Map<string, Intention>> {
    const rows = await this.dataSource.query<(Intention & { id: string })[]>(
      `with decided as (
         update activity set ending = 'closed', ending_at = clock_timestamp()
          where id in (select id from activity
                        where id = any($1::bigint[]) and status = 'active' and ending is null
                          and ${MAY_END['after-closing']}
                        order by id
                          for no key update skip locked)
         returning id, ${INTENTION}, true as "isNew"
       )
       select * from decided
       union all
       select id, ${INTENTION}, false as "isNew"
         from activity
        where id = any($1::bigint[]) and status = 'active' and ending is not null`,
      [ids],
    );
    return new Map(rows.map(({ id, ...intention }) => [id, intention]));
  }

  private async intention(id: string): Promise<Intention | undefined> {
    const [row] = await this.dataSource.query<Intention[]>(
      `select ${INTENTION}, false as "isNew" from activity where id = $1 and status = 'active' and ending is not null`,
      [id],
    );
    return row;
  }

  /** Withdraws a decision, unless it was carried out or has been replaced by another. */
  async withdraw(id: string, { decidedAt }: Intention): Promise<void> {
    await this.dataSource.query(
      `update activity set ending = null, ending_at = null
        where id = $1 and status = 'active' and ending_at = $2::timestamptz`,
      [id, decidedAt],
    );
  }

  /** The answer is final only under the lock of {@link lockActive}. */
  async hasClaims(id: string, db: Queries = this.dataSource): Promise<boolean> {
    const rows: unknown[] = await db.query(`select from claim where activity_id = $1 limit 1`, [id]);
    return rows.length > 0;
  }

  /**
   * Locks an activity that is still active against every confirmation, top-up and other closer;
   * undefined if it is not active. Everything read after this is final: confirmations hold the row
   * FOR KEY SHARE, and only this lock waits for those and then keeps others out.
   */
  async lockActive(tx: EntityManager, id: string): Promise<Activity | undefined> {
    const rows: unknown[] = await tx.query(
      `select id from activity where id = $1 and status = 'active' for update`,
      [id],
    );
    return rows.length > 0 ? this.activities.findActivity(id, tx) : undefined;
  }

  /**
   * The same for many activities that are in one part; leaves out those that another transaction has locked.
   * The returned sums are final: those of the packets without a claim.
   */
  async lockRemainders(tx: EntityManager, ids: readonly string[]): Promise<Remainder[]> {
    const locked = await tx.query<Omit<Remainder, 'amountMinor' | 'hasClaims'>[]>(
      `select id, escrow_account_id as "escrowAccountId", sponsor_account_id as "sponsorAccountId"
         from activity
        where id = any($1::bigint[]) and status = 'active' and parts = 1
        order by id
          for update skip locked`,
      [ids],
    );
    const sums = await tx.query<{ id: string; remainder: string; hasClaims: boolean }[]>(
      `with packets as (
         select activity_id, sum(amount_minor) as amount_minor from packet where activity_id = any($1::bigint[]) group by 1
       ), claims as (
         select activity_id, sum(amount_minor) as amount_minor from claim where activity_id = any($1::bigint[]) group by 1
       )
       select activity_id as id, packets.amount_minor - coalesce(claims.amount_minor, 0) as remainder,
              claims.amount_minor is not null as "hasClaims"
         from packets left join claims using (activity_id)`,
      [locked.map(({ id }) => id)],
    );
    const ofActivity = new Map(sums.map((sum) => [sum.id, sum]));
    return locked.map((activity) => {
      const { remainder, hasClaims } = ofActivity.get(activity.id) ?? NOTHING_LEFT;
      return { ...activity, amountMinor: BigInt(remainder), hasClaims };
    });
  }

  /** The sum of the packets without a claim, final only under the lock of {@link lockActive}. */
  async remainder(tx: EntityManager, id: string): Promise<bigint> {
    const [row] = await tx.query<{ remainder: string }[]>(
      `select (select coalesce(sum(amount_minor), 0) from packet where activity_id = $1)
            - (select coalesce(sum(amount_minor), 0) from claim where activity_id = $1) as remainder`,
      [id],
    );
    return BigInt(row!.remainder);
  }

  setClosed(tx: EntityManager, id: string, status: Ending): Promise<void> {
    return this.setAllClosed(tx, new Map([[id, status]]));
  }

  async setAllClosed(tx: EntityManager, statuses: ReadonlyMap<string, Ending>): Promise<void> {
    await tx.query(
      `update activity
          set status = ended.status, closed_at = clock_timestamp(), ending = ended.status,
              ending_at = coalesce(ending_at, clock_timestamp())
         from unnest($1::bigint[], $2::text[]) as ended (id, status)
        where activity.id = ended.id`,
      [[...statuses.keys()], [...statuses.values()]],
    );
  }

  /**
   * Returns active activities whose end is decided, or whose window is over by the clock of
   * Postgres.
   */
  async toEnd(afterId: string, limit: number): Promise<string[]> {
    const rows: { id: string }[] = await this.dataSource.query(
      `select id from activity
        where status = 'active' and (ending is not null or closes_at <= clock_timestamp()) and id > $1
        order by id limit $2`,
      [afterId, limit],
    );
    return rows.map(({ id }) => id);
  }
}
