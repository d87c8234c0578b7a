import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Queries } from '../../platform/postgres';
import type { Issued, Line, Statement } from './statement';

/** A wallet on a day. */
export interface Standing {
  readonly accountId: string;
  /** The day on which it was made. */
  readonly since: string;
}

/** A place between two entries of an account, from which a walk goes back. */
export interface Place {
  /** Entries before it have at most this id. */
  readonly upToId: string;
  /** The activity of the newest credit before it; null without one. */
  readonly creditIn: string | null;
  readonly balanceMinor: bigint;
}

/** What lies around a day: one snapshot, which has all entries of the account up to its moment. */
export interface Surroundings {
  readonly now: Date;
  /** Not before the end of the day, and as near to it as is known; its very end if the next day was issued. */
  readonly start: Place & { readonly isNextDay: boolean };
  /** The last statement before the day. */
  readonly before?: Pick<Statement, 'day' | 'toId' | 'closingMinor'>;
}

interface LineRow extends Omit<Line, 'amountMinor'> {
  readonly amount: string;
}

const LINES_AT_ONCE = 1_000;

const STATEMENT = `
  account_id as "accountId", day::text as day, from_id as "fromId", to_id as "toId", opening_minor as opening,
  closing_minor as closing, movements, issued_at as "issuedAt", texts_version as "textsVersion",
  digest_json as json, digest_csv as csv, digest_camt as camt053`;

interface StatementRow extends Omit<Statement, 'openingMinor' | 'closingMinor'> {
  readonly opening: string;
  readonly closing: string;
  readonly json: Buffer;
  readonly csv: Buffer;
  readonly camt053: Buffer | null;
}

function issuedOf({ opening, closing, json, csv, camt053, ...row }: StatementRow): Issued {
  const digests = { json, csv, camt053 };
  return { ...row, openingMinor: BigInt(opening), closingMinor: BigInt(closing), digests };
}

/** Stores statements, and reads the entries from which they are made. */
@Injectable()
export class StatementRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The present UTC day, by the clock that dates entries. */
  async today(): Promise<string> {
    const [row] = await this.dataSource.query<{ today: string }[]>(
      `select (clock_timestamp() at time zone 'UTC')::date::text as today`,
    );
    return row!.today;
  }

  async findWallet(ownerId: string, currency: string): Promise<Standing | undefined> {
    const [row] = await this.dataSource.query<Standing[]>(
      `select id as "accountId", (created_at at time zone 'UTC')::date::text as since
         from account where owner_id = $1 and kind = 'wallet' and currency = $2`,
      [ownerId, currency],
    );
    return row;
  }

  async find(accountId: string, day: string, db: Queries = this.dataSource): Promise<Issued | undefined> {
    const [row] = await db.query<StatementRow[]>(
      `select ${STATEMENT} from wallet_statement where account_id = $1 and day = $2`,
      [accountId, day],
    );
    return row && issuedOf(row);
  }

  /**
   * Runs work that issues statements of this account, one at a time. Nobody who writes entries takes this lock: see
   * {@link surroundings}.
   */
  inTurn<T>(accountId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('wallet-statement:' || $1, 0))`, [
        accountId,
      ]);
      return work(tx);
    });
  }

  /**
   * One statement, so one snapshot: it has all entries that make up the balance in it. A transaction that
   * writes an entry locks the account before the entry gets its id, until the commit. So an entry that is not
   * in this snapshot has a higher id than all that are.
   */
  async surroundings(tx: EntityManager, accountId: string, day: string): Promise<Surroundings> {
    const [row] = await tx.query<
      {
        now: Date;
        upToId: string;
        creditIn: string | null;
        balance: string;
        isNextDay: boolean;
        before: Record<'day' | 'toId' | 'closing', string> | null;
      }[]
    >(
      `select clock_timestamp() as now, start.*,
              (select json_build_object('day', day, 'toId', to_id::text, 'closing', closing_minor::text)
                 from wallet_statement where account_id = $1 and day < $2 order by day desc limit 1) as before
         from (select * from (select from_id as "upToId", credit_in as "creditIn", opening_minor as balance,
                             day = $2::date + 1 as "isNextDay"
                        from wallet_statement where account_id = $1 and day > $2 order by day limit 1) as after
               union all
               select up_to_id, credit_in, balance_minor, false from wallet_statement_walk
                where account_id = $1 and day >= $2
               union all
               select greatest((select max(id) from transfer where credit_account_id = account.id and kind <> 'credit'),
                               (select max(id) from transfer where debit_account_id = account.id and kind <> 'credit'), 0),
                      last_credit_in, balance_minor, null
                 from account where id = $1) as start
        order by "isNextDay" is null, "isNextDay" desc, "upToId" limit 1`,
      [accountId, day],
    );
    const { now, balance, isNextDay, before, ...start } = row!;
    return {
      now,
      start: { ...start, balanceMinor: BigInt(balance), isNextDay: isNextDay ?? false },
      ...(before && { before: { ...before, closingMinor: BigInt(before.closing) } }),
    };
  }

  /** All entries from the place on are later than the day. */
  async keepWalk(tx: EntityManager, accountId: string, day: string, place: Place): Promise<void> {
    await tx.query(
      `insert into wallet_statement_walk (account_id, day, up_to_id, credit_in, balance_minor)
       values ($1, $2, $3, $4, $5)
       on conflict (account_id) do update
         set day = excluded.day, up_to_id = excluded.up_to_id, credit_in = excluded.credit_in, balance_minor = excluded.balance_minor`,
      [accountId, day, place.upToId, place.creditIn, place.balanceMinor],
    );
  }

  /** Entries other than credits, up to that one, newest first. */
  async others(tx: EntityManager, accountId: string, upToId: string, limit: number): Promise<Line[]> {
    const rows = await tx.query<LineRow[]>(
      `select id as "transferId", kind, activity_id as "activityId", created_at as at, amount,
              case when kind like 'payout%' then source_id end as "payoutId"
         from ((select *, amount_minor as amount from transfer
                 where credit_account_id = $1 and kind <> 'credit' and id <= $2 order by id desc limit $3)
               union all
               (select *, -amount_minor as amount from transfer
                 where debit_account_id = $1 and kind <> 'credit' and id <= $2 order by id desc limit $3)) as entry
        order by id desc limit $3`,
      [accountId, upToId, limit],
    );
    return rows.map(lineOf);
  }

  /** When an activity was sealed, and its newest entry: its credits are not newer. */
  async findSeal(
    tx: EntityManager,
    activityId: string,
  ): Promise<{ readonly day: string; readonly lastId: string } | undefined> {
    const [row] = await tx.query<{ day: string; lastId: string }[]>(
      `select (sealed_at at time zone 'UTC')::date::text as day, last_transfer_id as "lastId"
         from seal where activity_id = $1`,
      [activityId],
    );
    return row;
  }

  async insertLines(tx: EntityManager, accountId: string, lines: readonly Line[]): Promise<void> {
    await tx.query(
      `insert into wallet_statement_line (account_id, transfer_id, kind, amount_minor, activity_id, payout_id, at)
       select $1, * from unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::timestamptz[])`,
      [
        accountId,
        lines.map(({ transferId }) => transferId),
        lines.map(({ kind }) => kind),
        lines.map(({ amountMinor }) => amountMinor),
        lines.map(({ activityId }) => activityId),
        lines.map(({ payoutId }) => payoutId),
        lines.map(({ at }) => at.toISOString()),
      ],
    );
  }

  async insert(tx: EntityManager, issued: Issued, creditIn: string): Promise<void> {
    const { digests } = issued;
    await tx.query(
      `insert into wallet_statement (account_id, day, from_id, to_id, opening_minor, closing_minor, movements, credit_in,
                                     issued_at, texts_version, digest_json, digest_csv, digest_camt)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        ...[issued.accountId, issued.day, issued.fromId, issued.toId],
        ...[issued.openingMinor, issued.closingMinor, issued.movements, creditIn],
        ...[issued.issuedAt.toISOString(), issued.textsVersion, digests.json, digests.csv, digests.camt053],
      ],
    );
  }

  /** The movements of a statement, oldest first. */
  async *pages(
    { accountId, fromId, toId }: Pick<Statement, 'accountId' | 'fromId' | 'toId'>,
    db: Queries = this.dataSource,
  ): AsyncGenerator<Line[]> {
    let after = fromId;
    for (;;) {
      const rows = await db.query<LineRow[]>(
        `select transfer_id as "transferId", kind, amount_minor as amount, activity_id as "activityId",
                payout_id as "payoutId", at
           from wallet_statement_line
          where account_id = $1 and transfer_id > $2 and transfer_id <= $3
          order by transfer_id limit $4`,
        [accountId, after, toId, LINES_AT_ONCE],
      );
      if (rows.length > 0) yield rows.map(lineOf);
      if (rows.length < LINES_AT_ONCE) return;
      after = rows.at(-1)!.transferId;
    }
  }

  /** Statements after this one, in the order of accounts and days: all, or those that no run has proven. */
  async page(
    tx: Queries,
    after: { readonly accountId: string; readonly day: string },
    isWhole: boolean,
    limit: number,
  ): Promise<Issued[]> {
    const source = isWhole
      ? 'wallet_statement'
      : 'wallet_statement_unproven join wallet_statement using (account_id, day)';
    const rows = await tx.query<StatementRow[]>(
      `select ${STATEMENT} from ${source}
        where (account_id, day) > ($1, $2::date)
        order by account_id, day limit $3`,
      [after.accountId, after.day, limit],
    );
    return rows.map(issuedOf);
  }

  /** Later runs do not prove these again. */
  async believe(tx: Queries, proven: readonly Pick<Statement, 'accountId' | 'day'>[]): Promise<void> {
    await tx.query(
      `delete from wallet_statement_unproven
        using unnest($1::bigint[], $2::date[]) as proven (account_id, day)
        where wallet_statement_unproven.account_id = proven.account_id and wallet_statement_unproven.day = proven.day`,
      [proven.map(({ accountId }) => accountId), proven.map(({ day }) => day)],
    );
  }
}

function lineOf({ amount, ...row }: LineRow): Line {
  return { ...row, amountMinor: BigInt(amount) };
}
