import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { daySum } from '../../platform/postgres';

export interface Budget {
  readonly perDayMinor: bigint;
  readonly spentMinor: bigint;
}

const SPENT_TODAY = daySum('today', 'spent_minor').counted;

/** Budgets as staff set them. The ledger counts what is spent. */
@Injectable()
export class BudgetRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async findBudget(
    ownerId: string,
    currency: string,
    db: EntityManager = this.dataSource.manager,
  ): Promise<Budget | undefined> {
    const [row] = await db.query<{ per_day_minor: string; spent: string }[]>(
      `select per_day_minor, ${SPENT_TODAY} as spent
         from budget join account on account.id = wallet_account_id
        cross join (select (now() at time zone 'UTC')::date as today) as clock
        where owner_id = $1 and kind = 'wallet' and currency = $2`,
      [ownerId, currency],
    );
    return row && { perDayMinor: BigInt(row.per_day_minor), spentMinor: BigInt(row.spent) };
  }

  /**
   * The wallet is locked, so nothing enters an activity meanwhile. Counts the money that has entered
   * activities today.
   */
  async set(tx: EntityManager, walletAccountId: string, perDayMinor: bigint): Promise<void> {
    await tx.query(
      `with today as (
         select (clock_timestamp() at time zone 'UTC')::date as day
       ), entered as (
         select coalesce(sum(amount_minor), 0) as minor
           from transfer, today
          where debit_account_id = $1 and kind in ('fund', 'top-up') and created_at >= today.day at time zone 'UTC'
            and not exists (select from top_up where id = source_id and kind = 'top-up' and replaces_claim_id is not null)
       )
       insert into budget (wallet_account_id, per_day_minor, day, spent_minor)
       select $1, $2, today.day, entered.minor from today, entered
       on conflict on constraint budget_pkey do update set per_day_minor = excluded.per_day_minor`,
      [walletAccountId, perDayMinor],
    );
  }

  async remove(tx: EntityManager, walletAccountId: string): Promise<void> {
    await tx.query(`delete from budget where wallet_account_id = $1`, [walletAccountId]);
  }
}
