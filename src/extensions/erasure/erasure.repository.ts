import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type Evidence, withEvidence } from '../../core/reconciliation';
import { PLAY_MONEY } from '../../core/currency';
import { type Queries, type Schema, SCHEMA } from '../../platform/postgres';
import type { Begun, Erasure, LedgerEntry, UnderWay } from './erasure';

const COLUMNS = `id, user_id as "userId", requested_by as "requestedBy", requested_at as "requestedAt", pseudonym,
                 done_at as "doneAt", withdrawn_by as "withdrawnBy", withdrawn_at as "withdrawnAt"`;

const NAMED_MAX = 20;

/** Neither done nor withdrawn. The second condition follows from the first, and is that of the index. */
const IS_TO_DO = 'user_id is not null and done_at is null';

/** The requester of erasures that a ledger brings back; no id has spaces. */
export const AGAIN = 'a restored ledger';

/** The transaction of the approval writes the row of the erasure. */
export const isApproved = (erasure: string): string => `exists (
  select from requested_deed
   where action = 'user.erase' and status = 'approved' and subject_id = coalesce(${erasure}.user_id, ${erasure}.pseudonym)
     and decided_by = ${erasure}.requested_by and decided_by <> asked_by and decided_at = ${erasure}.requested_at)`;

@Injectable()
export class ErasureRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(SCHEMA) private readonly schema: Pick<Schema, 'underWay' | 'lastMoved'>,
  ) {}

  /** The reasons why a person cannot be forgotten yet: a few entries at most. */
  underWay(userId: string, db: Queries = this.dataSource): Promise<UnderWay[]> {
    const all = this.schema.underWay.map((select) => `(${select})`).join(' union ');
    return db.query(`select what, id from (${all}) as found order by what, id limit ${NAMED_MAX}`, [userId]);
  }

  /**
   * Until when the records of a person have to be kept: this many days after the last transfer of their wallets, the
   * end of an activity that they last won in or have sponsored, or any other movement. Rehearsals do not count. Null if
   * that is over.
   */
  async keptUntil(userId: string, days: number, db: Queries = this.dataSource): Promise<Date | null> {
    const others = this.schema.lastMoved.map((select) => `union all ${select}`).join(' ');
    const [row] = await db.query<{ until: Date | null }[]>(
      `with wallet as (
         select id, last_credit_in from account where owner_id = $1 and kind = 'wallet' and currency <> '${PLAY_MONEY}'
       ), moved as (
         select max(created_at) as at from transfer join wallet on wallet.id = debit_account_id where kind <> 'credit'
         union all
         select max(created_at) from transfer join wallet on wallet.id = credit_account_id where kind <> 'credit'
         union all
         select max(closed_at) from activity where id in (select last_credit_in from wallet)
         union all
         select max(closed_at) from activity where sponsor_id = $1 and currency <> '${PLAY_MONEY}'
         ${others}
       ), kept as (
         select max(at) + make_interval(days => $2) as until from moved
       )
       select case when until > now() then until end as until from kept`,
      [userId, days],
    );
    return row!.until;
  }

  /** Other requests to forget this person wait until the transaction ends. */
  async lockRequests(tx: EntityManager, userId: string): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('erasure:' || $1, 0))`, [userId]);
  }

  /**
   * The open request to forget a person, whether it waits for approval or for being carried out. One query sees a
   * request on either side of its approval.
   * @param undecidedDeeds those of the second person
   */
  async openRequest(
    userId: string,
    undecidedDeeds: string,
    db: Queries = this.dataSource,
  ): Promise<UnderWay | undefined> {
    const [open] = await db.query<UnderWay[]>(
      `select 'erasure' as what, id::text as id from erasure where user_id = $1 and done_at is null
       union all
       select 'approval', min(id)::text from (${undecidedDeeds}) as deed
        where action = 'user.erase' and subject_id = $1 and expires_at > now() having min(id) is not null
       order by what desc limit 1`,
      [userId],
    );
    return open;
  }

  /** Undefined if someone has requested it in the meantime. */
  async insert(tx: EntityManager, userId: string, requestedBy: string): Promise<Erasure | undefined> {
    const [row] = await tx.query<Erasure[]>(
      `insert into erasure (user_id, requested_by) values ($1, $2)
       on conflict (user_id) where done_at is null do nothing returning ${COLUMNS}`,
      [userId, requestedBy],
    );
    return row;
  }

  /** Takes the id out of the row, and returns it; undefined if the erasure has begun or ended. */
  async withdraw(tx: EntityManager, id: string, by: string): Promise<string | undefined> {
    const [row] = await tx.query<{ userId: string }[]>(
      `with asked as (
         select id, user_id from erasure where id = $1 and user_id is not null and pseudonym is null for update
       ), withdrawn as (
         update erasure set user_id = null, withdrawn_by = $2, withdrawn_at = now()
           from asked where erasure.id = asked.id
       )
       select user_id as "userId" from asked`,
      [id, by],
    );
    return row?.userId;
  }

  async findErasure(id: string, db: Queries = this.dataSource): Promise<Erasure | undefined> {
    const [row] = await db.query<Erasure[]>(`select ${COLUMNS} from erasure where id = $1`, [id]);
    return row;
  }

  /** Newest first. */
  list(beforeId: string | undefined, limit: number): Promise<Erasure[]> {
    return this.dataSource.query(
      `select ${COLUMNS} from erasure where $1::bigint is null or id < $1 order by id desc limit $2`,
      [beforeId ?? null, limit],
    );
  }

  /** Age of the oldest erasure that is to be carried out; 0 if there is none. */
  async oldestSeconds(): Promise<number> {
    const [row] = await this.dataSource.query<{ seconds: number }[]>(
      `select coalesce(extract(epoch from now() - min(requested_at)), 0)::float8 as seconds
         from erasure where ${IS_TO_DO}`,
    );
    return row!.seconds;
  }

  /** Oldest first. */
  undone(): Promise<Erasure[]> {
    return this.dataSource.query(`select ${COLUMNS} from erasure where ${IS_TO_DO} order by id`);
  }

  /** The undone ones that no second person has approved; none if no approval is needed. */
  async unapproved(evidence: Evidence): Promise<Set<string>> {
    if (!evidence.requested_deed) return new Set();
    const rows = await this.dataSource.query<{ id: string }[]>(
      withEvidence(`select id from erasure where ${IS_TO_DO} and not ${isApproved('erasure')}`, evidence),
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Writes down the pseudonym before it is used for the first time; a later run uses it again. Undefined if someone
   * has withdrawn the request in the meantime.
   */
  async begin(id: string, pseudonym: string): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ pseudonym: string }[]>(
      `with begun as (
         update erasure set pseudonym = coalesce(pseudonym, $2) where id = $1 and user_id is not null
         returning pseudonym
       )
       select pseudonym from begun`,
      [id, pseudonym],
    );
    return row?.pseudonym;
  }

  /** Takes the id out of the row. */
  async finish(tx: EntityManager, id: string, digest: Buffer, key: string): Promise<void> {
    await tx.query(
      `update erasure set user_id = null, digest = $2, digest_key = $3, done_at = now() where id = $1`,
      [id, digest, key],
    );
  }

  /** A deposit that has found a wallet by the id and waits for it is then refused. Later ones find none by that id. */
  async freezeWallets(tx: EntityManager, pseudonym: string): Promise<void> {
    await tx.query(`update account set status = 'frozen' where owner_id = $1 and kind = 'wallet'`, [
      pseudonym,
    ]);
  }

  /** Oldest first. */
  done(): Promise<LedgerEntry[]> {
    return this.dataSource.query(
      `select pseudonym, encode(digest, 'hex') as digest, digest_key as key,
              to_char(done_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "doneAt"
         from erasure where done_at is not null order by id`,
    );
  }

  /** Those that this database does not know as done. */
  async withoutDone(entries: readonly LedgerEntry[]): Promise<LedgerEntry[]> {
    const rows = await this.dataSource.query<{ pseudonym: string }[]>(
      `select pseudonym from erasure where done_at is not null and pseudonym = any($1)`,
      [entries.map(({ pseudonym }) => pseudonym)],
    );
    const known = new Set(rows.map(({ pseudonym }) => pseudonym));
    return entries.filter(({ pseudonym }) => !known.has(pseudonym));
  }

  /** Continues the request that a backup may contain, or makes one. */
  async takeUp(userId: string, pseudonym: string): Promise<Begun> {
    const [row] = await this.dataSource.query<Begun[]>(
      `insert into erasure (user_id, requested_by, pseudonym) values ($1, $3, $2)
       on conflict (user_id) where done_at is null do update set pseudonym = excluded.pseudonym
       returning ${COLUMNS}`,
      [userId, pseudonym, AGAIN],
    );
    return row!;
  }

  /** Adds erasures of people whom this database does not know. */
  async adopt(entries: readonly LedgerEntry[]): Promise<void> {
    for (const { pseudonym, digest, key, doneAt } of entries)
      await this.dataSource.query(
        `insert into erasure (requested_by, pseudonym, digest, digest_key, done_at) values ($5, $1, decode($2, 'hex'), $3, $4)`,
        [pseudonym, digest, key, doneAt, AGAIN],
      );
  }
}
