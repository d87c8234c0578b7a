import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppConfig } from '../../platform/config';
import type { AccountStatus, TransferKind } from './account';
import { type Credit, CreditChain, type ListedRow, type Place } from './credit-chain';

export interface WalletRow {
  readonly status: AccountStatus;
  readonly balanceMinor: bigint;
  /** Claims that are won and not yet credited, without dead letters. */
  readonly pendingMinor: bigint;
}

export interface EntryRow extends ListedRow {
  readonly kind: TransferKind;
  readonly activityId: string | null;
  /** Negative when the wallet paid. */
  readonly amountMinor: bigint;
  /** The reference of a deposit; null when it came without one. */
  readonly reference: string | null;
  readonly at: Date;
}

export interface EntryFilter {
  readonly activityId?: string;
  readonly kind?: TransferKind;
  readonly from?: Date;
  readonly to?: Date;
}

/** The filter of all transfers that are not credits. */
const IS_WANTED = `($3::bigint is null or transfer.id < $3)
               and ($5::bigint is null or transfer.activity_id = $5)
               and ($6::text is null or transfer.kind = $6)
               and ($7::timestamptz is null or transfer.created_at >= $7)
               and ($8::timestamptz is null or transfer.created_at < $8)`;

/** Credits that a statement reads where a filter by time may leave most of them out. */
const CREDITS_AT_ONCE = 500;

/** Reads wallets. Only the ledger and settlement change balances. */
@Injectable()
export class WalletRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
    private readonly chain: CreditChain,
  ) {}

  /** Reads an empty wallet for a user who has none: the first money creates it. */
  async read(ownerId: string, manager: EntityManager = this.dataSource.manager): Promise<WalletRow> {
    const [row]: { status: AccountStatus; balance: string; pending: string }[] = await manager.query(
      `select coalesce(max(status), 'active') as status,
              coalesce(max(balance_minor), 0) as balance,
              (select coalesce(sum(amount_minor), 0) from unsettled_claim where user_id = $1) as pending
         from account
        where owner_id = $1 and kind = 'wallet' and currency = $2`,
      [ownerId, this.config.CURRENCY],
    );
    return { status: row!.status, balanceMinor: BigInt(row!.balance), pendingMinor: BigInt(row!.pending) };
  }

  async setStatus(tx: EntityManager, accountId: string, status: AccountStatus): Promise<void> {
    await tx.query(`update account set status = $2 where id = $1`, [accountId, status]);
  }

  /** Keeps the reference outside the ledger, whose rows say only what moved. */
  async keepReference(tx: EntityManager, transferId: string, reference: string): Promise<void> {
    await tx.query(`insert into deposit_reference (transfer_id, reference) values ($1, $2)`, [
      transferId,
      reference,
    ]);
  }

  /**
   * Returns ledger lines of a wallet, newest first: at most `limit` credits and at most `limit`
   * other lines. The chain of credits is followed from one to the next. The other lines are few and
   * are found by indexes. A filter by time walks through all credits.
   */
  async entries(
    ownerId: string,
    filter: EntryFilter,
    { link, beforeId }: Place,
    limit: number,
  ): Promise<EntryRow[]> {
    const credits = await this.credits(ownerId, filter, link, limit);
    return [...credits, ...(await this.others(ownerId, filter, beforeId, limit))];
  }

  private async credits(
    ownerId: string,
    { activityId, kind, from, to }: EntryFilter,
    link: string | undefined,
    limit: number,
  ): Promise<EntryRow[]> {
    if (kind !== undefined && kind !== 'credit') return [];
    const rows: EntryRow[] = [];
    const atOnce = from || to ? CREDITS_AT_ONCE : limit;
    for await (const credit of this.chain.walk(ownerId, link ?? activityId, activityId ? 1 : atOnce)) {
      const isWanted = (!from || credit.creditedAt >= from) && (!to || credit.creditedAt < to);
      if (credit.id === null ? !activityId : isWanted) rows.push(entryOf(credit));
      if (activityId || rows.length === limit) break;
    }
    return rows;
  }

  private async others(
    ownerId: string,
    { activityId, kind, from, to }: EntryFilter,
    beforeId: string | undefined,
    limit: number,
  ): Promise<EntryRow[]> {
    const rows = await this.dataSource.query<(Omit<EntryRow, 'amountMinor'> & { amount: string })[]>(
      `with wallet as (
         select id from account where owner_id = $1 and kind = 'wallet' and currency = $2
       ), other as (
         (select transfer.id, transfer.kind, activity_id, amount_minor as amount, transfer.created_at
            from transfer join wallet on credit_account_id = wallet.id
           where transfer.kind <> 'credit' and ${IS_WANTED}
           order by transfer.id desc limit $4)
         union all
         (select transfer.id, transfer.kind, activity_id, -amount_minor, transfer.created_at
            from transfer join wallet on debit_account_id = wallet.id
           where transfer.kind <> 'credit' and ${IS_WANTED}
           order by transfer.id desc limit $4)
       )
       select id, kind, activity_id as "activityId", null as link, amount, reference, created_at as at
         from other left join deposit_reference on transfer_id = id
        order by id desc limit $4`,
      [ownerId, this.config.CURRENCY, beforeId, limit, activityId, kind, from, to],
    );
    return rows.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount) }));
  }
}

/** The row at the end of a history has no amount. */
const entryOf = ({ id, link, amountMinor, creditedAt }: Credit): EntryRow => ({
  ...{ id, link, kind: 'credit', activityId: link, reference: null, at: creditedAt },
  amountMinor: BigInt(amountMinor ?? 0),
});
