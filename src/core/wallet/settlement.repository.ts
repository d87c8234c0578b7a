import { InjectDataSource } from '@nestjs/typeorm';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../platform/config';
import type { Queries } from '../../platform/postgres';
import { CURRENCY_BIT, newAccountId } from '../currency';
import { CreditOutlet } from '../outlet';
import type { DeadLetterReason } from './dead-letter.entity';

export interface Credited {
  /** Claims paid by this call. */
  readonly paid: number;
  /** Claims that became dead letters because their wallet is frozen. */
  readonly buried: number;
  /** The activities of these claims. */
  readonly activities: readonly string[];
}

interface CreditedRow {
  paid: string;
  buried: string;
  activities: string[];
}

/** Unpaid claims, by the ids of the first and the last one. */
export interface Backlog {
  readonly first: string;
  readonly last: string;
  /** Seconds by the clock of Postgres. Negative if that clock was set back. */
  readonly firstWaitsSeconds: number;
}

export interface Unpaid {
  readonly unsettled: number;
  /** Open dead letters. */
  readonly dead: Readonly<Record<DeadLetterReason, number>>;
  /** The dead letter of the oldest held claim; undefined if none is held. */
  readonly heldOldest?: string;
  /** Seconds by the clock of Postgres. Negative if that clock was set back. */
  readonly heldOldestSeconds: number;
}

/** The facts of a claim that its winner is notified of. */
export interface NewsOfClaim {
  readonly id: string;
  readonly activityId: string;
  readonly packetNo: number;
  readonly userId: string;
  readonly amountMinor: string;
  readonly confirmedAt: Date;
  readonly creditedAt: Date | null;
}

const ERROR_TEXT_MAX = 500;

/** The statements that pay claims. {@link credit} is the whole of settlement: read it aloud. */
@Injectable()
export class SettlementRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
    private readonly outlet: CreditOutlet,
  ) {}

  /**
   * Pays claims into the wallets of their winners, in one statement and so in one transaction.
   *
   * A claim is paid exactly once, however often it is offered and by however many workers. Only the
   * transaction that deletes the claim's row from unsettled_claim may pay it; a second one waits
   * for that row and then finds it gone. The ledger has its own rule too, one credit per claim
   * (transfer_once). If a paid claim is ever queued again, the statement fails loudly. It does not
   * move money, and it does not quietly drop the row.
   *
   * The upsert's condition skips a frozen wallet. It is judged on the locked row, so a freeze
   * either comes before the payment or waits for it. The same statement buries the claims that
   * could not be credited.
   *
   * A wallet is of the currency whose number the id of the escrow carries: a transfer into any other could not be
   * written (`transfer_in_one_currency`). The code of the activity only finds the wallet, so one that names another
   * currency credits nobody, and its claims are buried like those of a frozen wallet.
   *
   * Wallets are locked in the order of their owners and codes, then escrows in the order of their ids. Two
   * workers with overlapping batches may wait for each other, but never both at once.
   *
   * The rows of unsettled_claim hold all that is needed, so no claim is read. Wallets are the only
   * old rows of old activities that are touched.
   *
   * Each credit names the activity that was credited to its wallet before. Within a batch, credits
   * follow the order of their activities; the first takes the activity that the wallet names. Lists
   * of a wallet follow these names.
   *
   * What is credited in an activity with an outlet is noted for that, in the same statement.
   *
   * @param lockTimeoutMs the longest wait for a locked row; the connection's own setting where it
   * is undefined
   */
  async credit(claimIds: readonly string[], lockTimeoutMs?: number): Promise<Credited> {
    if (lockTimeoutMs === undefined) return this.creditIn(this.dataSource, claimIds);
    return this.dataSource.transaction(async (tx) => {
      await tx.query(`set local lock_timeout = ${lockTimeoutMs}`);
      return this.creditIn(tx, claimIds);
    });
  }

  private async creditIn(connection: Queries, claimIds: readonly string[]): Promise<Credited> {
    const [row] = await connection.query<CreditedRow[]>(
      `with due as (
         delete from unsettled_claim where claim_id = any($1::bigint[])
         returning claim_id as id, activity_id, user_id, amount_minor, attempts
       ), owed as (
         select due.*, activity.escrow_account_id, activity.payout_channel_id, activity.currency,
                (activity.escrow_account_id >> ${CURRENCY_BIT})::smallint as currency_number,
                lag(activity_id) over (partition by user_id, activity.escrow_account_id >> ${CURRENCY_BIT} order by activity_id)
                  as previous_credit_in
           from due
           join activity on activity.id = due.activity_id
       ), credited as (
         insert into account as wallet (id, owner_id, kind, currency, currency_number, balance_minor, last_credit_in)
                overriding system value
         select ${newAccountId('currency_number')}, user_id, 'wallet', currency, currency_number, minor, last_credit_in
           from (select user_id, currency_number, min(currency) as currency, sum(amount_minor) as minor,
                        max(activity_id) as last_credit_in
                   from owed group by user_id, currency_number order by user_id, currency) as owed_to
         on conflict on constraint account_owner_unique
         do update set balance_minor = wallet.balance_minor + excluded.balance_minor,
                       last_credit_in = excluded.last_credit_in, former_credit_in = wallet.last_credit_in
         where wallet.status = 'active' and wallet.currency_number = excluded.currency_number
         returning id, owner_id, currency_number, former_credit_in
       ), paid as (
         insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor,
                               previous_credit_in)
         select 'credit', owed.id, owed.activity_id, owed.escrow_account_id, credited.id, owed.amount_minor,
                coalesce(owed.previous_credit_in, credited.former_credit_in)
           from owed
           join credited on (credited.owner_id, credited.currency_number) = (owed.user_id, owed.currency_number)
          order by owed.activity_id, owed.id
         returning debit_account_id, amount_minor
       ), ${this.outlet.sql.sendOn}escrow as (
         select id from account where id in (select debit_account_id from paid) order by id for no key update
       ), debited as (
         update account
            set balance_minor = account.balance_minor - spent.amount_minor
           from (select debit_account_id, sum(amount_minor)::bigint as amount_minor from paid group by 1) as spent
           join escrow on escrow.id = spent.debit_account_id
          where account.id = escrow.id
       ), buried as (
         insert into dead_letter (claim_id, activity_id, user_id, amount_minor, reason, attempts)
         select id, activity_id, user_id, amount_minor, 'wallet_frozen', attempts + 1
           from owed
          where (user_id, currency_number) not in (select owner_id, currency_number from credited)
         on conflict on constraint dead_letter_claim_once
         do update set status = 'open', reason = excluded.reason, last_error = null, resolution = null,
                       attempts = dead_letter.attempts + excluded.attempts, updated_at = now()
         where dead_letter.status = 'replayed'
         returning claim_id
       )
       select (select count(*) from paid) as paid, (select count(*) from buried) as buried,
              array(select distinct activity_id from due) as activities`,
      [claimIds],
    );
    const { paid, buried, activities } = row!;
    return { paid: Number(paid), buried: Number(buried), activities };
  }

  /**
   * Counts a failed attempt of a claim that failed alone, and buries the claim when that was the
   * last attempt allowed. Returns the activity of a claim that is buried. A claim that is no longer
   * unsettled is neither counted nor buried.
   */
  async recordFailure(claimId: string, error: unknown): Promise<string | undefined> {
    const message = (error instanceof Error ? error.message : String(error)).slice(0, ERROR_TEXT_MAX);
    const [buried]: { activityId: string }[] = await this.dataSource.query(
      `with failed as (
         update unsettled_claim set attempts = attempts + 1, last_error = $2
          where claim_id = $1 and attempts + 1 < $3
       ), given_up as (
         delete from unsettled_claim where claim_id = $1 and attempts + 1 >= $3
         returning claim_id, activity_id, user_id, amount_minor, attempts + 1 as attempts
       ), buried as (
         insert into dead_letter (claim_id, activity_id, user_id, amount_minor, reason, last_error, attempts)
         select claim_id, activity_id, user_id, amount_minor, 'settlement_failed', $2, attempts from given_up
         on conflict on constraint dead_letter_claim_once
         do update set status = 'open', reason = excluded.reason, last_error = excluded.last_error, resolution = null,
                       attempts = dead_letter.attempts + excluded.attempts, updated_at = now()
         where dead_letter.status = 'replayed'
         returning activity_id
       )
       select activity_id as "activityId" from buried`,
      [claimId, message, this.config.SETTLEMENT_ATTEMPTS_MAX],
    );
    return buried?.activityId;
  }

  /**
   * @param activities the activities of the claims; every partition is searched when it is
   * undefined
   */
  newsOf(claimIds: readonly string[], activities?: readonly string[]): Promise<NewsOfClaim[]> {
    return this.dataSource.query(
      `select claim.id, claim.activity_id as "activityId", claim.packet_no as "packetNo", claim.user_id as "userId",
              claim.amount_minor as "amountMinor", claim.confirmed_at as "confirmedAt", transfer.created_at as "creditedAt"
         from claim
         left join transfer on transfer.kind = 'credit' and transfer.source_id = claim.id
                           and transfer.activity_id = claim.activity_id
                           and ($2::bigint[] is null or transfer.activity_id = any($2))
        where claim.id = any($1::bigint[]) and ($2::bigint[] is null or claim.activity_id = any($2))
        order by claim.id`,
      [claimIds, activities],
    );
  }

  /** Returns the unpaid ones of these claims, grouped by activity. */
  async byActivity(claimIds: readonly string[]): Promise<string[]> {
    const rows: { id: string }[] = await this.dataSource.query(
      `select claim_id as id from unsettled_claim where claim_id = any($1::bigint[]) order by activity_id, claim_id`,
      [claimIds],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns undefined when no claim is unsettled. */
  async backlog(): Promise<Backlog | undefined> {
    const [row] = await this.dataSource.query<Backlog[]>(
      `select claim_id as first, (select max(claim_id) from unsettled_claim) as last,
              extract(epoch from now() - queued_at)::float8 as "firstWaitsSeconds"
         from unsettled_claim
        order by claim_id
        limit 1`,
    );
    return row;
  }

  /** Counts the unpaid claims, and the open dead letters by reason. */
  async unpaid(): Promise<Unpaid> {
    const [row] = await this.dataSource.query<Record<string, string>[]>(
      `select (select count(*) from unsettled_claim) as unsettled,
              count(*) filter (where reason = 'wallet_frozen') as wallet_frozen,
              count(*) filter (where reason = 'settlement_failed') as settlement_failed,
              count(*) filter (where reason = 'held') as held,
              min(id) filter (where reason = 'held') as held_oldest,
              coalesce(extract(epoch from now() - min(updated_at) filter (where reason = 'held')), 0) as oldest
         from dead_letter
        where status = 'open'`,
    );
    const { unsettled, wallet_frozen, settlement_failed, held, held_oldest, oldest } = row!;
    return {
      unsettled: Number(unsettled),
      dead: {
        wallet_frozen: Number(wallet_frozen),
        settlement_failed: Number(settlement_failed),
        held: Number(held),
      },
      heldOldest: held_oldest ?? undefined,
      heldOldestSeconds: Number(oldest),
    };
  }

  /** Returns unpaid claims in the order of their ids. */
  async unsettledUpTo(last: string, limit: number): Promise<string[]> {
    const rows: { claim_id: string }[] = await this.dataSource.query(
      `select claim_id from unsettled_claim where claim_id <= $1 order by claim_id limit $2`,
      [last, limit],
    );
    return rows.map((row) => row.claim_id);
  }

  /**
   * Returns unpaid claims after `after` in the order of their ids. Claims that another transaction
   * is settling now are left out.
   */
  async idleUnsettled(after: string, last: string, limit: number): Promise<string[]> {
    const rows: { claim_id: string }[] = await this.dataSource.query(
      `select claim_id
         from unsettled_claim
        where claim_id > $1 and claim_id <= $2
        order by claim_id
        limit $3
          for update skip locked`,
      [after, last, limit],
    );
    return rows.map((row) => row.claim_id);
  }
}
