import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { copyRows, type Queries } from '../../platform/postgres';

export interface CodePoolRow {
  readonly id: string;
  readonly name: string;
  readonly sponsorId: string;
  readonly currency: string;
  readonly uploaded: number;
  readonly createdAt: Date;
  readonly wrappedKey: Buffer;
}

/** A pool in a list. */
export interface ListedCodePool extends CodePoolRow {
  readonly free: number;
}

export interface SealedCode {
  readonly no: number;
  readonly sealed: Buffer;
  readonly digest: Buffer;
}

/** The codes of a pool by state. All others are reserved. */
export interface CodeCounts {
  readonly free: number;
  readonly shown: number;
  readonly burnt: number;
}

export interface PoolUse {
  readonly activityId: string;
  readonly name: string;
  readonly status: string;
  readonly codes: number;
}

/** Codes of an activity that has ended. */
export interface OwedCodes {
  readonly poolId: string;
  readonly activityId: string;
}

const USES_MAX = 100;

const TAKEN_BACK_AT_ONCE = 50_000;

const COLUMNS = `id::text, name, sponsor_id as "sponsorId", currency, uploaded, created_at as "createdAt",
  wrapped_key as "wrappedKey"`;

/** Codes that no activity holds, including those that an ended activity has yet to return. */
const FREE = `
  (select coalesce(sum(count), 0) from code_free where pool_id = pool.id)
  + (select coalesce(sum(amount_minor), 0)
       from (select distinct activity_id from code_reserved where pool_id = pool.id and returned_at is null) as held
       join transfer on kind = 'refund' and source_id = held.activity_id)`;

@Injectable()
export class CodePoolRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async nextId(tx: EntityManager): Promise<string> {
    const [row] = await tx.query<{ id: string }[]>(
      `select nextval(pg_get_serial_sequence('code_pool', 'id'))::text as id`,
    );
    return row!.id;
  }

  async insert(
    tx: EntityManager,
    { id, name, sponsorId, currency, wrappedKey }: Omit<CodePoolRow, 'uploaded' | 'createdAt'>,
  ): Promise<CodePoolRow> {
    const [row] = await tx.query<CodePoolRow[]>(
      `insert into code_pool (id, name, sponsor_id, currency, wrapped_key) overriding system value
       values ($1, $2, $3, $4, $5) returning ${COLUMNS}`,
      [id, name, sponsorId, currency, wrappedKey],
    );
    return row!;
  }

  async findPool(id: string, db: Queries = this.dataSource): Promise<CodePoolRow | undefined> {
    const [row] = await db.query<CodePoolRow[]>(`select ${COLUMNS} from code_pool where id = $1::bigint`, [
      id,
    ]);
    return row;
  }

  async ofCurrency(currency: string, db: Queries = this.dataSource): Promise<CodePoolRow | undefined> {
    const [row] = await db.query<CodePoolRow[]>(`select ${COLUMNS} from code_pool where currency = $1`, [
      currency,
    ]);
    return row;
  }

  all(): Promise<CodePoolRow[]> {
    return this.dataSource.query(`select ${COLUMNS} from code_pool order by code_pool.id`);
  }

  /** Newest first. */
  list(
    sponsorId: string | undefined,
    beforeId: string | undefined,
    limit: number,
  ): Promise<ListedCodePool[]> {
    return this.dataSource.query(
      `select ${COLUMNS}, (${FREE})::integer as free from code_pool as pool
        where ($1::text is null or sponsor_id = $1) and ($2::bigint is null or id < $2)
        order by pool.id desc limit $3`,
      [sponsorId, beforeId, limit],
    );
  }

  async counts(poolId: string): Promise<CodeCounts> {
    const [row] = await this.dataSource.query<CodeCounts[]>(
      `select (${FREE})::integer as free,
              (select count(*)::integer from code_showing where pool_id = pool.id) as shown,
              (select coalesce(sum(amount_minor), 0)::integer
                 from account join transfer on transfer.kind = 'void' and credit_account_id = account.id
                where account.kind = 'funding' and account.currency = pool.currency) as burnt
         from code_pool as pool where id = $1`,
      [poolId],
    );
    return row!;
  }

  async free(tx: EntityManager, poolId: string): Promise<number> {
    const [row] = await tx.query<{ free: number }[]>(
      `select (${FREE})::integer as free from code_pool as pool where id = $1`,
      [poolId],
    );
    return row!.free;
  }

  /** The activities that have reserved codes, the newest first. */
  uses(poolId: string): Promise<PoolUse[]> {
    return this.dataSource.query(
      `select activity_id::text as "activityId", name, status, codes::integer
         from (select activity_id, sum(count) as codes from code_reserved where pool_id = $1
                group by 1 order by 1 desc limit ${USES_MAX}) as held
         join activity on activity.id = activity_id order by activity_id desc`,
      [poolId],
    );
  }

  async rewrap(poolId: string, from: Buffer, to: Buffer): Promise<void> {
    await this.dataSource.query(`update code_pool set wrapped_key = $3 where id = $1 and wrapped_key = $2`, [
      poolId,
      from,
      to,
    ]);
  }

  /** True if no other transaction is uploading to this pool. None can before this one ends. */
  async beginUpload(tx: EntityManager, poolId: string): Promise<boolean> {
    // The transaction is idle while the next codes arrive, and the request has limits of its own.
    await tx.query(`set local idle_in_transaction_session_timeout = '2min'`);
    const [row] = await tx.query<{ locked: boolean }[]>(
      `select pg_try_advisory_xact_lock(hashtextextended('codes of pool ' || $1, 0)) as locked`,
      [poolId],
    );
    return row!.locked;
  }

  /**
   * Returns the digests that the pool already has. Each is looked up by itself: during a large upload, which has
   * no statistics yet, the planner would rather read the whole pool for every batch.
   */
  async known(tx: EntityManager, poolId: string, digests: readonly Buffer[]): Promise<Buffer[]> {
    const rows = await tx.query<{ digest: Buffer }[]>(
      `select known.digest
         from unnest($2::bytea[]) as asked (digest)
        cross join lateral (select digest from code where pool_id = $1 and digest = asked.digest offset 0) as known`,
      [poolId, digests],
    );
    return rows.map(({ digest }) => digest);
  }

  async write(tx: EntityManager, poolId: string, codes: readonly SealedCode[]): Promise<void> {
    const rows = codes.map(
      ({ no, sealed, digest }) =>
        `${poolId}\t${no}\t\\\\x${sealed.toString('hex')}\t\\\\x${digest.toString('hex')}\n`,
    );
    await copyRows(tx, 'code (pool_id, no, sealed, digest)', [rows.join('')]);
  }

  /** Makes written codes usable. Their numbers follow those of the pool. */
  async publish(tx: EntityManager, poolId: string, firstNo: number, count: number): Promise<void> {
    await tx.query(
      `with grown as (update code_pool set uploaded = uploaded + $3 where id = $1)
       insert into code_free (pool_id, first_no, count) values ($1, $2, $3)`,
      [poolId, firstNo, count],
    );
  }

  /** No other transaction changes which codes are free before this one ends. Lock wallets first. */
  async lock(tx: EntityManager, poolId: string): Promise<void> {
    await tx.query(`select from code_pool where id = $1 for no key update`, [poolId]);
  }

  /**
   * Gives free codes of a locked pool to packets, in the order of their numbers. Returns how many there were, at
   * most `count`.
   */
  async reserve(
    tx: EntityManager,
    poolId: string,
    activityId: string,
    firstPacketNo: number,
    count: number,
  ): Promise<number> {
    const [row] = await tx.query<{ reserved: number }[]>(
      `with free as (
         select first_no, count as whole, sum(count) over (order by first_no) - count as before
           from code_free where pool_id = $1
       ), taken as materialized (
         select first_no, whole, before::integer as before, least(whole, $4 - before)::integer as count
           from free where before < $4
       ), gone as (
         delete from code_free using taken where pool_id = $1 and code_free.first_no = taken.first_no
       ), rest as (
         insert into code_free (pool_id, first_no, count)
         select $1, first_no + count, whole - count from taken where whole > count
       ), given as (
         insert into code_reserved (activity_id, first_packet_no, pool_id, first_no, count)
         select $2, $3::integer + before, $1, first_no, count from taken
         returning count
       )
       select coalesce(sum(count), 0)::integer as reserved from given`,
      [poolId, activityId, firstPacketNo, count],
    );
    return row!.reserved;
  }

  /** Activities that have ended and still hold codes that nobody won: of one pool, or of all. */
  owed(poolId?: string, db: Queries = this.dataSource): Promise<OwedCodes[]> {
    return db.query(
      `select distinct pool_id::text as "poolId", activity_id::text as "activityId"
         from code_reserved join activity on activity.id = activity_id
        where returned_at is null and status <> 'active' and archived_at is null
          and ($1::integer is null or pool_id = $1)`,
      [poolId],
    );
  }

  /** Free codes that need not be taken back first. */
  async freeNow(tx: EntityManager, poolId: string): Promise<number> {
    const [row] = await tx.query<{ free: number }[]>(
      `select coalesce(sum(count), 0)::integer as free from code_free where pool_id = $1`,
      [poolId],
    );
    return row!.free;
  }

  /**
   * Frees the codes of a locked pool that nobody won in an ended activity. No packet of it can be won any more,
   * so this is final. Archived activities are left out: their claims are gone, as if nobody had won. No statement
   * takes longer than Postgres allows, however many packets there are.
   */
  async takeBack(tx: EntityManager, { activityId }: OwedCodes): Promise<void> {
    const [held] = await tx.query<[{ firstPacketNo: number; count: number }[], number]>(
      `update code_reserved set returned_at = now()
         from activity
        where activity_id = $1 and returned_at is null and activity.id = activity_id and status <> 'active'
          and archived_at is null
       returning first_packet_no as "firstPacketNo", count`,
      [activityId],
    );
    for (const { firstPacketNo, count } of held)
      for (let from = firstPacketNo; from < firstPacketNo + count; from += TAKEN_BACK_AT_ONCE)
        await tx.query(
          `with unwon as (
             select first_no + packet_no - first_packet_no as no
               from code_reserved
              cross join lateral generate_series($3::integer, least($4, first_packet_no + count - 1)) as packet_no
              where code_reserved.activity_id = $1 and first_packet_no = $2
                and not exists (select from claim where claim.activity_id = $1 and claim.packet_no = packet_no.packet_no)
           ), island as (
             select no, no - row_number() over (order by no) as place from unwon
           )
           insert into code_free (pool_id, first_no, count)
           select pool_id, min(no), count(*)
             from island cross join (select pool_id from code_reserved where activity_id = $1 and first_packet_no = $2) as own
            group by pool_id, place`,
          [activityId, firstPacketNo, from, from + TAKEN_BACK_AT_ONCE - 1],
        );
  }
}
