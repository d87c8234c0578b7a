import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppConfig } from '../../platform/config';
import type { AccountStatus, TransferKind } from './account';
import { CREDITS, type ListedRow, type Place } from './credit-chain';

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
const IS_WANTED = `($5::bigint is null or transfer.id < $5)
               and ($7::bigint is null or transfer.activity_id = $7)
               and ($8::text is null or transfer.kind = $8)
               and ($9::timestamptz is null or transfer.created_at >= $9)
               and ($10::timestamptz is null or transfer.created_at < $10)`;

const NO_LINK = '0';

/** Reads wallets. Only the ledger and settlement change balances. */
@Injectable()
export class WalletRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
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
    { activityId, kind, from, to }: EntryFilter,
    { link, beforeId }: Place,
    limit: number,
  ): Promise<EntryRow[]> {
    const isCredit = kind === undefined || kind === 'credit';
    const first = isCredit ? (link ?? activityId) : NO_LINK;
    const follows = activityId === undefined;
    const rows: (Omit<EntryRow, 'amountMinor'> & { amount: string | null })[] = await this.dataSource.query(
      `with ${CREDITS}, wallet as (
         select id from account where owner_id = $1 and kind = 'wallet' and currency = $2
       ), other as (
         (select transfer.id, transfer.kind, activity_id, amount_minor as amount, transfer.created_at
            from transfer join wallet on credit_account_id = wallet.id
           where transfer.kind <> 'credit' and ${IS_WANTED}
           order by transfer.id desc limit $6)
         union all
         (select transfer.id, transfer.kind, activity_id, -amount_minor, transfer.created_at
            from transfer join wallet on debit_account_id = wallet.id
           where transfer.kind <> 'credit' and ${IS_WANTED}
           order by transfer.id desc limit $6)
       )
       (select transfer_id as id, 'credit' as kind, activity_id as "activityId", link,
               amount_minor as amount, null as reference, created_at as at
          from listed
         where transfer_id is null
            or (($9::timestamptz is null or created_at >= $9) and ($10::timestamptz is null or created_at < $10))
         limit $6)
       union all
       (select id, kind, activity_id, null, amount, reference, created_at
          from other left join deposit_reference on transfer_id = id
         order by id desc limit $6)`,
      [ownerId, this.config.CURRENCY, first, follows, beforeId, limit, activityId, kind, from, to],
    );
    return rows.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount ?? 0) }));
  }
}
