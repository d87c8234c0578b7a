import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppConfig } from '../../platform/config';
import type { AccountStatus, TransferKind } from './account';

export interface WalletRow {
  readonly status: AccountStatus;
  readonly balanceMinor: bigint;
  /** Won and not yet credited; dead letters not included. */
  readonly pendingMinor: bigint;
}

export interface EntryRow {
  readonly id: string;
  readonly kind: TransferKind;
  readonly activityId: string | null;
  /** Negative when the wallet paid. */
  readonly amountMinor: bigint;
  /** Of a deposit that came with one. */
  readonly reference: string | null;
  readonly at: Date;
}

export interface EntryFilter {
  readonly activityId?: string;
  readonly kind?: TransferKind;
  readonly from?: Date;
  readonly to?: Date;
}

const IS_WANTED = `($3::bigint is null or transfer.id < $3)
               and ($5::bigint is null or activity_id = $5)
               and ($6::text is null or transfer.kind = $6)
               and ($7::timestamptz is null or transfer.created_at >= $7)
               and ($8::timestamptz is null or transfer.created_at < $8)`;

/** What wallets look like. Balances are changed by the ledger and by settlement only. */
@Injectable()
export class WalletRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  /** A user without a wallet has an empty one: it is created with the first money. */
  async read(ownerId: string, manager: EntityManager = this.dataSource.manager): Promise<WalletRow> {
    const [row]: { status: AccountStatus; balance: string; pending: string }[] = await manager.query(
      `select coalesce(max(status), 'active') as status,
              coalesce(max(balance_minor), 0) as balance,
              (select coalesce(sum(claim.amount_minor), 0)
                 from claim
                 join unsettled_claim on unsettled_claim.claim_id = claim.id
                where claim.user_id = $1) as pending
         from account
        where owner_id = $1 and kind = 'wallet' and currency = $2`,
      [ownerId, this.config.CURRENCY],
    );
    return { status: row!.status, balanceMinor: BigInt(row!.balance), pendingMinor: BigInt(row!.pending) };
  }

  async setStatus(tx: EntityManager, accountId: string, status: AccountStatus): Promise<void> {
    await tx.query(`update account set status = $2 where id = $1`, [accountId, status]);
  }

  /** Beside the ledger, whose rows say only what moved. */
  async keepReference(tx: EntityManager, transferId: string, reference: string): Promise<void> {
    await tx.query(`insert into deposit_reference (transfer_id, reference) values ($1, $2)`, [
      transferId,
      reference,
    ]);
  }

  /** Ledger lines of a wallet, newest first, older than `beforeId` where given. */
  async entries(
    ownerId: string,
    { activityId, kind, from, to }: EntryFilter,
    beforeId: string | undefined,
    limit: number,
  ): Promise<EntryRow[]> {
    const rows: (Omit<EntryRow, 'amountMinor'> & { amount: string })[] = await this.dataSource.query(
      `with wallet as (
         select id from account where owner_id = $1 and kind = 'wallet' and currency = $2
       )
       select id, kind, activity_id as "activityId", amount, reference, created_at as "at"
         from (
           (select transfer.id, transfer.kind, activity_id, amount_minor as amount, transfer.created_at
              from transfer join wallet on credit_account_id = wallet.id
             where ${IS_WANTED}
             order by transfer.id desc limit $4)
           union all
           (select transfer.id, transfer.kind, activity_id, -amount_minor, transfer.created_at
              from transfer join wallet on debit_account_id = wallet.id
             where transfer.kind <> 'credit' and ${IS_WANTED}
             order by transfer.id desc limit $4)
         ) as entry
         left join deposit_reference on transfer_id = entry.id
        order by id desc
        limit $4`,
      [ownerId, this.config.CURRENCY, beforeId, limit, activityId, kind, from, to],
    );
    return rows.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount) }));
  }
}
