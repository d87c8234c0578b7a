import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { type Patience, type Queries, writersOf } from '../../platform/postgres';
import { type Evidence, withEvidence } from './evidence';
import { GONE } from './ledger-invariants';
import { RAINS } from './rain-scope';

/**
 * The version of new seals. Raise it when {@link digests} writes rows as a different text: seals are never
 * changed, so each is compared by the text of its own version.
 */
const VERSION = 4;

/** A million rows in one text would leave no memory for other work. */
const ROWS_PER_PART = 5_000;

/** Another `verify` sealed the same activities: serialization failure, unique violation, deadlock. */
const LOST_RACE = new Set(['40001', '23505', '40P01']);

/** Dead letters whose user gets another id in the same transaction, after the digest. */
export interface LettersToRename {
  readonly from: string;
  readonly to: string;
}

export interface Rain {
  readonly id: string;
  /** The approximate number of rows to read. */
  readonly size: number;
}

/** The part of the ledger to be walked: transfers with `from` < id <= `to`. */
export interface Walk {
  readonly from: bigint;
  readonly to: bigint;
  /** Transactions that may have taken an id up to `to` without having committed it yet. */
  readonly writers: readonly string[];
}

const WRITERS = writersOf('transfer');

const SINCE_2 = {
  activity: `, name, parts, ending, extract(epoch from opens_at), extract(epoch from closes_at),
                              extract(epoch from created_at), extract(epoch from closed_at),
                              extract(epoch from ending_at)`,
  transfer: ', previous_credit_in',
  topUp: ', parts, extract(epoch from created_at)',
  letter: ', id, last_error, attempts, extract(epoch from created_at), extract(epoch from updated_at)',
};
const SINCE_3: typeof SINCE_2 = { ...SINCE_2, activity: `${SINCE_2.activity}, admission` };
const SINCE_4: typeof SINCE_2 = { ...SINCE_3, activity: `${SINCE_3.activity}, limits` };
const BEFORE_2: typeof SINCE_2 = { activity: '', transfer: '', topUp: '', letter: '' };

function columnsOf(version: number): typeof SINCE_2 {
  if (version < 2) return BEFORE_2;
  if (version < 3) return SINCE_2;
  return version < 4 ? SINCE_3 : SINCE_4;
}

/**
 * The digest of every row of each activity in scope, over all columns that a seal makes final. Moments are
 * written as numbers, and kinds are sorted by their bytes, so that no setting of a server or a connection
 * changes the text.
 */
const digests = (version: number, letters = 'dead_letter', more = columnsOf(version)): string => `
  moved as materialized (select * from transfer),
  part as (
    select activity.id, 'activity' as kind, 0::bigint as no,
           sha256(convert_to((id, sponsor_id, sponsor_account_id, escrow_account_id, currency, total_minor, packet_count,
                              split, seed, status${more.activity})::text, 'UTF8')) as digest
      from activity
    union all
    select activity_id, 'packet', no / ${ROWS_PER_PART},
           sha256(convert_to(string_agg((no, amount_minor)::text, '' order by no), 'UTF8'))
      from packet group by activity_id, no / ${ROWS_PER_PART}
    union all
    select activity_id, 'claim', packet_no / ${ROWS_PER_PART},
           sha256(convert_to(string_agg((packet_no, id, user_id, amount_minor, extract(epoch from confirmed_at))::text, ''
                                        order by packet_no), 'UTF8'))
      from claim group by activity_id, packet_no / ${ROWS_PER_PART}
    union all
    select activity_id, 'transfer', id / ${ROWS_PER_PART},
           sha256(convert_to(string_agg((id, kind, source_id, debit_account_id, credit_account_id, amount_minor,
                                         extract(epoch from created_at)${more.transfer})::text, ''
                                        order by id), 'UTF8'))
      from moved group by activity_id, id / ${ROWS_PER_PART}
    union all
    select activity_id, 'top-up', id,
           sha256(convert_to((id, amount_minor, packet_count, first_no, split, seed,
                              replaces_claim_id${more.topUp})::text, 'UTF8'))
      from top_up
    union all
    select activity_id, 'letter', claim_id,
           sha256(convert_to((claim_id, user_id, amount_minor, reason, status, resolution${more.letter})::text, 'UTF8'))
      from ${letters}
  ), digest as (
    select id, sha256(string_agg(convert_to(kind || ' ' || no || ' ', 'UTF8') || digest, '' order by kind collate "C", no))
               as digest
      from part group by id
  )`;

/** The letters of `$3` as they will be once they belong to `$4`. It goes before {@link digests}. */
const RENAMED_LETTERS = `
  renamed_letter as (
    select activity_id, claim_id, case user_id when $3 then $4 else user_id end as user_id, amount_minor, reason, status,
           resolution, id, last_error, attempts, created_at, updated_at
      from dead_letter
  )`;

/** They go after {@link digests}. */
const SUMS = `
  sums as (
    select activity_id as id, count(*) as transfers, max(id) as last_transfer_id,
           coalesce(sum(amount_minor) filter (where kind in ('fund', 'top-up')), 0) as funded,
           coalesce(sum(amount_minor) filter (where kind = 'credit'), 0) as credited,
           coalesce(sum(amount_minor) filter (where kind in ('void', 'refund')), 0) as returned
      from moved group by 1
  ), counts as (
    select activity_id as id, count(*) as claims from claim group by 1
  )`;

/**
 * The digest that is valid for a seal: its own, or that of its last revision. Each revision begins with the digest
 * that was valid before it.
 */
const REVISED = `
  select count(*)::integer as revisions, coalesce(bool_and(digest_before = former), true) as is_chain,
         coalesce((array_agg(digest_after order by no desc))[1], seal.digest) as valid
    from (select *, lag(digest_after, 1, seal.digest) over (order by no) as former
            from seal_revision where seal_revision.activity_id = seal.activity_id) as revision`;

const sealedAmong = (
  tx: EntityManager,
  activityIds: readonly string[],
): Promise<{ version: number; ids: string[] }[]> =>
  tx.query(
    `select version, array_agg(activity_id) as ids from seal where activity_id = any($1::bigint[]) group by 1`,
    [activityIds],
  );

/**
 * Seals record what was proven of activities that are settled for good.
 *
 * An activity can be sealed when nothing can be written about it any more: it has ended, its escrow
 * is empty, and none of its claims is unsettled, or in a letter that could be replayed, resolved or
 * declared void. A letter that was replayed and paid, and one that is void, are final.
 */
@Injectable()
export class SealRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** False on a replica, and for a role that may not write. */
  async canSeal(): Promise<boolean> {
    const [row] = await this.dataSource.query<{ can_seal: boolean }[]>(
      `select has_table_privilege('seal', 'insert') and has_table_privilege('carried', 'insert')
              and current_setting('transaction_read_only') = 'off' as can_seal`,
    );
    return row!.can_seal;
  }

  async count(): Promise<number> {
    const [row] = await this.dataSource.query<{ count: string }[]>(`select count(*) as count from seal`);
    return Number(row!.count);
  }

  /** Returns activities without a seal, after `afterId`, in the order of their ids. */
  unsealed(afterId: string, limit: number): Promise<Rain[]> {
    return this.dataSource.query(
      `select id, packet_count as size from activity
        where id > $1 and not exists (select from seal where activity_id = activity.id) order by id limit $2`,
      [afterId, limit],
    );
  }

  /** Returns activities whose packets are not archived, after `afterId`, in the order of their ids. */
  kept(afterId: string, limit: number): Promise<Rain[]> {
    return this.dataSource.query(
      `select id, packet_count as size from activity where id > $1 and archived_at is null order by id limit $2`,
      [afterId, limit],
    );
  }

  /** The next walk: from the end of the walk of the last seal to the end of the ledger. */
  async walk(): Promise<Walk> {
    const [row] = await this.dataSource.query<{ from: string; to: string; writers: string[] }[]>(
      `select coalesce((select max(walked_to) from seal), 0) as from,
              coalesce((select max(id) from transfer), 0) as to,
              array(${WRITERS}) as writers`,
    );
    return { from: BigInt(row!.from), to: BigInt(row!.to), writers: row!.writers };
  }

  async stillWriting(writers: readonly string[]): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>(
      `select count(*)::int as count from (${WRITERS}) as writer where virtualtransaction = any($1)`,
      [writers],
    );
    return row!.count;
  }

  /**
   * Waits while sealed rows are being renamed, before the snapshot is taken: neither `set` nor `lock table` takes one.
   * An older snapshot would seal rows that are no longer there.
   */
  async lock(tx: EntityManager): Promise<void> {
    await tx.query(
      `set local lock_timeout = 0; lock table seal in row exclusive mode; set local lock_timeout to default`,
    );
  }

  /** Nobody seals anything until the transaction ends. Only those who seal queue after this lock. */
  async holdUp(tx: EntityManager, { backgroundLockTimeoutMs, lockTimeoutMs }: Patience): Promise<void> {
    await tx.query(
      `set local lock_timeout = ${backgroundLockTimeoutMs};
       lock table seal in share row exclusive mode;
       set local lock_timeout = ${lockTimeoutMs}`,
    );
  }

  /** Seals what can be sealed, in the snapshot in which all invariants held. Returns how many. */
  async seal(tx: EntityManager, activityIds: readonly string[], walkedTo: bigint): Promise<number> {
    const ids = await this.sealable(tx, activityIds);
    if (ids.length === 0) return 0;
    await tx.query(
      `with ${RAINS}, ${digests(VERSION)}, ${SUMS}
       insert into seal (activity_id, claims, transfers, funded_minor, credited_minor, returned_minor,
                         last_transfer_id, walked_to, version, digest)
       select id, coalesce(claims, 0), transfers, funded, credited, returned, last_transfer_id, $2, ${VERSION}, digest
         from digest join sums using (id) left join counts using (id)
        order by id`,
      [ids, walkedTo],
    );
    await tx.query(
      `with ${RAINS}
       insert into carried (account_id, net_minor)
       select account_id, sum(amount)
         from transfer
        cross join lateral (values (credit_account_id, amount_minor), (debit_account_id, -amount_minor))
           as moved (account_id, amount)
        group by account_id having sum(amount) <> 0 order by account_id
       on conflict (account_id) do update set net_minor = carried.net_minor + excluded.net_minor`,
      [ids],
    );
    return ids.length;
  }

  private async sealable(tx: EntityManager, activityIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ id: string }[]>(
      `with ${RAINS}
       select activity.id
         from activity
         join account escrow on escrow.id = escrow_account_id
        where activity.status <> 'active'
          and escrow.balance_minor = 0
          and activity.id not in (select activity_id from dead_letter where status in ('open', 'resolved'))
          and activity.id not in (select activity_id from unsettled_claim)`,
      [activityIds],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns sealed activities with all their rows, after `afterId` and before `beyondId`. */
  sealed(afterId: string, limit: number, beyondId?: string, db: Queries = this.dataSource): Promise<Rain[]> {
    return db.query(
      `select activity_id as id, transfers as size from seal join activity on id = activity_id
        where activity_id > $1 and ($3::bigint is null or activity_id < $3) and archived_at is null
        order by activity_id limit $2`,
      [afterId, limit, beyondId],
    );
  }

  /** Returns those that have changed since their seal, without those archived meanwhile. */
  async changed(tx: EntityManager, activityIds: readonly string[]): Promise<string[]> {
    const changed: string[] = [];
    for (const { version, ids } of await sealedAmong(tx, activityIds))
      changed.push(...(await this.changedSince(tx, version, ids)));
    return changed;
  }

  /**
   * Does work that changes rows of sealed activities for a reason that is not about money, and records a revision
   * of each seal that no longer fits. Activities without a seal, and those archived, may be among them.
   *
   * The caller has locked the rows of the letters, and writes them after that: one that is void is written under a lock
   * of the whole table, and nobody should wait for it while all these rows are read.
   *
   * @param cause the row that tells why, such as `erasure:7`
   * @throws Error with one line if an activity was not what was sealed before the work
   */
  async revise(
    tx: EntityManager,
    activityIds: readonly string[],
    cause: string,
    { from, to }: LettersToRename,
    work: () => Promise<void>,
  ): Promise<void> {
    const [changed] = await this.changed(tx, activityIds);
    if (changed !== undefined)
      throw new Error(`Activity ${changed} is not what was sealed: see npm run verify -- --all.`);
    await work();
    for (const { version, ids } of await sealedAmong(tx, activityIds))
      await tx.query(
        `with ${RAINS}, ${RENAMED_LETTERS}, ${digests(version, 'renamed_letter')}
         insert into seal_revision (activity_id, no, cause, digest_before, digest_after)
         select activity_id, revisions + 1, $2, valid, digest.digest
           from seal join digest on digest.id = activity_id join activity using (id)
          cross join lateral (${REVISED}) as revised
          where archived_at is null and valid <> digest.digest`,
        [ids, cause, from, to],
      );
  }

  /** Compares activities whose seals have one version. A seal of a newer release differs. */
  private async changedSince(tx: EntityManager, version: number, ids: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ id: string }[]>(
      `with ${RAINS}, ${digests(version)}, ${SUMS}
       select seal.activity_id as id
         from seal
         left join digest on digest.id = seal.activity_id
         left join sums on sums.id = seal.activity_id
         left join counts on counts.id = seal.activity_id
        cross join lateral (${REVISED}) as revised
        where seal.activity_id = any($1::bigint[])
          and not exists (select from activity where id = seal.activity_id and archived_at is not null)
          and (version <= ${VERSION}, is_chain, valid, seal.claims, seal.transfers, funded_minor, credited_minor,
               returned_minor, seal.last_transfer_id)
              is distinct from (true, true, digest.digest, coalesce(counts.claims, 0), sums.transfers, funded, credited,
                                returned, sums.last_transfer_id)
        order by 1`,
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the activities that are wrongly marked as archived or not, and those that are archived with sums
   * that differ from their seal. A mark hides an activity from {@link changed}.
   */
  async wronglyArchived(tx: EntityManager, evidence: Evidence): Promise<string[]> {
    const sql = `
      with kept as (
        select activity_id as id, coalesce(sum(amount_minor) filter (where kind in ('fund', 'top-up')), 0) as funded,
               coalesce(sum(amount_minor) filter (where kind in ('void', 'refund')), 0) as returned
          from transfer where kind <> 'credit' and activity_id is not null group by 1
      )
      select activity.id
        from activity
        left join seal on activity_id = activity.id
        left join kept on kept.id = activity.id
       where (archived_at is not null)
             <> coalesce((select beyond_id > activity.id from archived_range where first_id <= activity.id
                           order by first_id desc limit 1), false)
          or archived_at is not null
             and (total_minor, funded_minor, returned_minor) is distinct from (funded, funded, returned)
       order by 1`;
    const rows = await tx.query<{ id: string }[]>(withEvidence(sql, evidence));
    return rows.map(({ id }) => id);
  }

  /** Returns the accounts whose carried sum differs from the transfers of sealed activities. */
  async wronglyCarried(tx: EntityManager, evidence: Evidence): Promise<string[]> {
    const sql = `
      with sealed as (
        select debit_account_id, credit_account_id, amount_minor from transfer join seal using (activity_id)
      ), net as (
        select account_id, sum(amount_minor) as sum
          from (select credit_account_id as account_id, amount_minor from sealed
                union all
                select debit_account_id, -amount_minor from sealed
                union all
                select id, sum from (${GONE}) as gone) as moved
         group by 1
      )
      select account_id as id from net full join carried using (account_id)
       where coalesce(sum, 0) <> coalesce(net_minor, 0) order by 1`;
    const rows = await tx.query<{ id: string }[]>(withEvidence(sql, evidence));
    return rows.map(({ id }) => id);
  }
}

/** True when another process sealed the same meanwhile: only the sealing failed. */
export function isLostRace(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : undefined;
  return cause instanceof Error && 'code' in cause && LOST_RACE.has(String(cause.code));
}
