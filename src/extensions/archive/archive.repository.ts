import type { DataSource, EntityManager } from 'typeorm';
import { pagesOf } from '../../platform/postgres';
import { AccountSums } from './account-sums';
import type { ActivityPart } from './archive-file';

export interface ArchiveCounts {
  readonly packets: string;
  readonly claims: string;
  readonly credits: string;
  readonly creditedMinor: string;
  readonly letters: string;
}

export interface ArchiveRecord extends ActivityPart, ArchiveCounts {
  readonly file: string;
  readonly digest: Buffer;
  readonly isDetached: boolean;
}

const ROWS_AT_ONCE = 5_000;

/** Ends a transaction whose host has vanished. The file's disk may be slow, but not this slow. */
const LIMITED = `set local idle_in_transaction_session_timeout = '1min'`;

const TABLES = ['packet', 'claim', 'transfer_credit'] as const;

/** Numbers too large for JSON are text. The order by key makes the same rows give the same lines. */
const LINES: readonly ((part: ActivityPart) => string)[] = [
  (part) => `
    select json_build_object('packet', no, 'activity', activity_id::text, 'amount', amount_minor::text)::text as line
      from ${nameOf('packet', part)} order by activity_id, no`,
  (part) => `
    select json_build_object('claim', id::text, 'activity', activity_id::text, 'packet', packet_no, 'user', user_id,
                             'amount', amount_minor::text, 'at', extract(epoch from confirmed_at)::text)::text as line
      from ${nameOf('claim', part)} order by activity_id, packet_no`,
  (part) => `
    select json_build_object('credit', id::text, 'activity', activity_id::text, 'claim', source_id::text,
                             'from', debit_account_id::text, 'to', credit_account_id::text, 'amount', amount_minor::text,
                             'after', previous_credit_in::text, 'at', extract(epoch from created_at)::text)::text as line
      from ${nameOf('transfer_credit', part)} order by id`,
  (part) => `
    select json_build_object('letter', id::text, 'activity', activity_id::text, 'claim', claim_id::text, 'user', user_id,
                             'amount', amount_minor::text, 'reason', reason, 'error', last_error, 'attempts', attempts,
                             'status', status, 'resolution', resolution, 'at', extract(epoch from created_at)::text,
                             'ended', extract(epoch from updated_at)::text)::text as line
      from dead_letter where ${isWithin(part)} order by id`,
];

function nameOf(table: (typeof TABLES)[number], { firstActivityId }: ActivityPart): string {
  return `${table}_${BigInt(firstActivityId)}`;
}

function isWithin({ firstActivityId, beyondActivityId }: ActivityPart): string {
  return `activity_id >= ${BigInt(firstActivityId)} and activity_id < ${BigInt(beyondActivityId)}`;
}

const RECORD = `
  first_activity_id as "firstActivityId", beyond_activity_id as "beyondActivityId", file, packets, claims, credits,
  credited_minor as "creditedMinor", letters, digest, detached_at is not null as "isDetached"`;

export class ArchiveRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Recorded ranges that are not dropped yet: a run begins with these. */
  unfinished(): Promise<ArchiveRecord[]> {
    return this.dataSource.query(
      `select ${RECORD} from archive where dropped_at is null order by first_activity_id`,
    );
  }

  /** The record of the file that begins with this activity. */
  async findArchive(firstActivityId: string): Promise<ArchiveRecord | undefined> {
    const [row] = await this.dataSource.query<ArchiveRecord[]>(
      `select ${RECORD} from archive where first_activity_id = $1`,
      [firstActivityId],
    );
    return row;
  }

  /**
   * The partitions whose activities can no longer be written to, oldest first: all are sealed,
   * Redis holds nothing of them, and they were closed at least `days` ago. A late creation cannot
   * use one of their ids, because the sequence is beyond them.
   */
  over(days: number): Promise<ActivityPart[]> {
    return this.dataSource.query(
      `with part as (
         select bounds[1]::bigint as first, bounds[2]::bigint as beyond
           from pg_inherits
           join pg_class on pg_class.oid = inhrelid
          cross join lateral regexp_match(pg_get_expr(relpartbound, 0), '(\\d+)''\\) TO \\(''(\\d+)') as bounds
          where inhparent = 'claim'::regclass
       )
       select first as "firstActivityId", beyond as "beyondActivityId"
         from part
        where beyond <= (select last_value from activity_id_seq)
          and exists (select from activity where id >= first and id < beyond)
          and not exists (select from archive where first_activity_id = first)
          and not exists (
            select from activity left join seal on seal.activity_id = id
             where id >= first and id < beyond
               and (seal.activity_id is null or forgotten_at is null
                    or (closed_at < now() - make_interval(days => $1)) is not true))
        order by first`,
      [days],
    );
  }

  /** All rows of a range, attached or not. */
  async *lines(tx: EntityManager, part: ActivityPart): AsyncGenerator<readonly string[]> {
    for (const select of LINES) yield* linesOf(tx, select(part));
  }

  snapshot<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction('REPEATABLE READ', async (tx) => {
      await tx.query(
        `${LIMITED}; set transaction read only; set local statement_timeout = 0; set local timezone = 'UTC'`,
      );
      return work(tx);
    });
  }

  /** Records the contents of a file, and the net effect of its credits on accounts. */
  record(part: ActivityPart, file: string, digest: Buffer): Promise<void> {
    return this.dataSource.transaction('REPEATABLE READ', async (tx) => {
      const credits = nameOf('transfer_credit', part);
      await tx.query(LIMITED);
      await tx.query(
        `insert into archive (first_activity_id, beyond_activity_id, file, packets, claims, credits, credited_minor, letters, digest)
         select $1, $2, $3, (select count(*) from ${nameOf('packet', part)}), (select count(*) from ${nameOf('claim', part)}),
                count(*), coalesce(sum(amount_minor), 0), (select count(*) from dead_letter where ${isWithin(part)}), $4
           from ${credits}`,
        [part.firstActivityId, part.beyondActivityId, file, digest],
      );
      await tx.query(
        `insert into archive_balance (first_activity_id, account_id, net_minor)
         select $1, account_id, sum(amount) from ${credits}
          cross join lateral (values (credit_account_id, amount_minor), (debit_account_id, -amount_minor))
             as moved (account_id, amount)
          group by account_id having sum(amount) <> 0`,
        [part.firstActivityId],
      );
    });
  }

  /** From here on the caller's transaction locks these tables, so it does everything else first. */
  async detach(tx: EntityManager, part: ActivityPart): Promise<void> {
    const range = [part.firstActivityId, part.beyondActivityId];
    await tx.query(`update activity set archived_at = now() where id >= $1 and id < $2`, range);
    await tx.query(`update archive set detached_at = now() where first_activity_id = $1`, range.slice(0, 1));
    for (const table of TABLES)
      await tx.query(`alter table ${table} detach partition ${nameOf(table, part)}`);
  }

  async attach(
    tx: EntityManager,
    { firstActivityId: first, beyondActivityId: beyond }: ActivityPart,
  ): Promise<void> {
    for (const table of TABLES) {
      const name = nameOf(table, { firstActivityId: first, beyondActivityId: beyond });
      await tx.query(
        `alter table ${table} attach partition ${name} for values from (${first}) to (${beyond})`,
      );
    }
    await tx.query(`update activity set archived_at = null where id >= $1 and id < $2`, [first, beyond]);
    await tx.query(`delete from archive_balance where first_activity_id = $1`, [first]);
    await tx.query(`delete from archive where first_activity_id = $1`, [first]);
  }

  async drop(tx: EntityManager, part: ActivityPart): Promise<void> {
    for (const table of TABLES) await tx.query(`drop table ${nameOf(table, part)}`);
    await tx.query(`delete from dead_letter where ${isWithin(part)}`);
    await tx.query(`update archive set dropped_at = now() where first_activity_id = $1`, [
      part.firstActivityId,
    ]);
  }

  /** The sums that the credits of a range left on accounts. */
  sums(firstActivityId: string): Promise<AccountSums> {
    return this.snapshot(async (tx) => {
      const [row] = await tx.query<{ count: number }[]>(
        `select count(*)::integer as count from archive_balance where first_activity_id = $1`,
        [firstActivityId],
      );
      const sums = new AccountSums(row!.count);
      const select = `select account_id as id, net_minor as net from archive_balance
                       where first_activity_id = $1 order by account_id`;
      for await (const rows of pagesOf<{ id: string; net: string }>(
        tx,
        select,
        [firstActivityId],
        ROWS_AT_ONCE,
      ))
        for (const { id, net } of rows) sums.push(id, net);
      return sums;
    });
  }

  /** The activities whose seal differs from the file; `credited[i]` is in minor units. */
  async unlikeSeals(
    part: ActivityPart,
    activityIds: readonly string[],
    claims: readonly number[],
    credited: readonly string[],
  ): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `select coalesce(seal.activity_id, held.id) as id
         from (select * from seal where activity_id >= $1 and activity_id < $2) as seal
         full join unnest($3::bigint[], $4::bigint[], $5::bigint[]) as held (id, claims, credited) on id = activity_id
        where (coalesce(held.claims, 0), coalesce(held.credited, 0)) is distinct from (seal.claims, seal.credited_minor)
        order by 1`,
      [part.firstActivityId, part.beyondActivityId, activityIds, claims, credited],
    );
    return rows.map(({ id }) => id);
  }
}

/** Yields the column `line` of a statement, from the snapshot of the transaction. */
export async function* linesOf(tx: EntityManager, select: string): AsyncGenerator<readonly string[]> {
  for await (const rows of pagesOf<{ line: string }>(tx, select, [], ROWS_AT_ONCE))
    yield rows.map(({ line }) => line);
}
