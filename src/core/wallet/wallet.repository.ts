import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountStatus, TransferKind } from './account';
import {
  type Credit,
  CreditChain,
  type ListedRow,
  NO_LINK,
  NO_OTHERS,
  type PageStart,
  type Walk,
} from './credit-chain';

export interface WalletRow {
  /** Null for an owner without a wallet. */
  readonly createdAt: Date | null;
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
  /** Null if the deposit came without a reference. */
  readonly reference: string | null;
  /** The transfer of a reversal's deposit. */
  readonly reverses: string | null;
  /** The transfer of a deposit's reversal. */
  readonly reversedBy: string | null;
  readonly at: Date;
}

export interface DepositRow {
  readonly id: string;
  readonly ownerId: string;
  readonly walletAccountId: string;
  readonly amountMinor: bigint;
}

export interface EntryFilter {
  readonly activityId?: string;
  readonly kind?: TransferKind;
  readonly from?: Date;
  readonly to?: Date;
}

/** How many rows are searched for one filtered page. It may be empty, and still have a cursor. */
const LOOKED_AT_MAX = 200;

/**
 * Rows come in the order of their ids, and their times may be out of that order by as much as the clock of
 * Postgres was ever wrong: a walk continues for this long after the first moment that is wanted.
 */
const OUT_OF_ORDER_MAX_MS = 24 * 3_600_000;

/** Reads wallets. Only the ledger and settlement change balances. */
@Injectable()
export class WalletRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly chain: CreditChain,
  ) {}

  /** Reads an empty wallet for a user who has none: the first money creates it. */
  async read(
    ownerId: string,
    currency: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<WalletRow> {
    const [row] = await manager.query<
      (Pick<WalletRow, 'createdAt' | 'status'> & { balance: string; pending: string })[]
    >(
      `select max(created_at) as "createdAt", coalesce(max(status), 'active') as status,
              coalesce(max(balance_minor), 0) as balance,
              (select coalesce(sum(amount_minor), 0)
                 from unsettled_claim join activity on activity.id = activity_id
                where user_id = $1 and activity.currency = $2) as pending
         from account
        where owner_id = $1 and kind = 'wallet' and currency = $2`,
      [ownerId, currency],
    );
    const { balance, pending, ...wallet } = row!;
    return { ...wallet, balanceMinor: BigInt(balance), pendingMinor: BigInt(pending) };
  }

  /** The currencies in which a user has a wallet, or a claim that waits for its payment or could not be paid. */
  async currenciesOf(ownerId: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ code: string }[]>(
      `select code from currency
        where code in (select currency from account where owner_id = $1 and kind = 'wallet')
           or code in (select activity.currency from unsettled_claim join activity on activity.id = activity_id
                        where user_id = $1)
           or code in (select activity.currency from dead_letter join activity on activity.id = activity_id
                        where user_id = $1)
        order by number`,
      [ownerId],
    );
    return rows.map(({ code }) => code);
  }

  async setStatus(tx: EntityManager, accountId: string, status: AccountStatus): Promise<void> {
    await tx.query(`update account set status = $2 where id = $1`, [accountId, status]);
  }

  /** Keeps it outside the ledger, whose rows say only what moved. */
  async keepReference(tx: EntityManager, transferId: string, reference: string): Promise<void> {
    await tx.query(`insert into deposit_reference (transfer_id, reference) values ($1, $2)`, [
      transferId,
      reference,
    ]);
  }

  async findDeposit(tx: EntityManager, transferId: string): Promise<DepositRow | undefined> {
    const [row] = await tx.query<(Omit<DepositRow, 'amountMinor'> & { amount: string })[]>(
      `select transfer.id, owner_id as "ownerId", account.id as "walletAccountId", amount_minor as amount
         from transfer
         join account on account.id = credit_account_id
        where transfer.kind = 'deposit' and transfer.id = $1`,
      [transferId],
    );
    if (!row) return undefined;
    const { amount, ...deposit } = row;
    return { ...deposit, amountMinor: BigInt(amount) };
  }

  /** Returns the transfer that has reversed a deposit. It stays true while the wallet is locked. */
  async findReversal(tx: EntityManager, depositId: string): Promise<string | undefined> {
    const [row] = await tx.query<{ id: string }[]>(
      `select id from transfer where kind = 'reversal' and source_id = $1`,
      [depositId],
    );
    return row?.id;
  }

  /** The credits, and all other lines. */
  async entries(
    ownerId: string,
    currency: string,
    filter: EntryFilter,
    { link, beforeId }: PageStart,
    limit: number,
  ): Promise<{ readonly credits: Walk<EntryRow>; readonly others: Walk<EntryRow> }> {
    const credits = await this.credits(ownerId, currency, filter, link, limit);
    return { credits, others: await this.others(ownerId, currency, filter, beforeId, limit) };
  }

  private async credits(
    ownerId: string,
    currency: string,
    filter: EntryFilter,
    link: string | undefined,
    limit: number,
  ): Promise<Walk<EntryRow>> {
    const rows: EntryRow[] = [];
    const found = (next: string): Walk<EntryRow> => ({ rows, next });
    const { activityId } = filter;
    if (activityId !== undefined && !(await this.chain.isOf(activityId, currency))) return found(NO_LINK);
    if (filter.kind !== undefined && filter.kind !== 'credit') return found(NO_LINK);
    const atOnce = activityId ? 1 : lookedAtMax(filter, limit);
    let lookedAt = 0;
    for await (const credit of this.chain.walk(ownerId, currency, link ?? activityId, atOnce)) {
      if (credit.id === null) return { ...found(credit.link), archived: activityId === undefined };
      const entry = entryOf({ ...credit, id: credit.id });
      if (isWanted(entry, filter)) rows.push(entry);
      if (activityId || isPast(entry, filter)) break;
      if (rows.length === limit) return found(credit.previous ?? NO_LINK);
      if (++lookedAt === atOnce && credit.previous) return { ...found(credit.previous), pausedAt: credit.id };
    }
    return found(NO_LINK);
  }

  /**
   * The other lines of a wallet are found by an index; those of one activity are lines of its
   * escrow as well, which has few.
   */
  private async others(
    ownerId: string,
    currency: string,
    filter: EntryFilter,
    beforeId: string | undefined,
    limit: number,
  ): Promise<Walk<EntryRow>> {
    if (filter.kind === 'credit') return { rows: [], next: NO_OTHERS };
    const max = lookedAtMax(filter, limit);
    const found = await this.dataSource.query<(Omit<EntryRow, 'amountMinor'> & { amount: string })[]>(
      `with wallet as (
         select id from account where owner_id = $1 and kind = 'wallet' and currency = $2
       ), walked as (
         select id as account_id from wallet where $5::bigint is null
         union all
         select escrow_account_id from activity where id = $5
       ), other as (
         (select transfer.* from walked
           cross join lateral (
             select * from transfer
              where credit_account_id = account_id and kind <> 'credit' and ($3::bigint is null or id < $3)
              order by id desc limit $4
           ) as transfer)
         union all
         (select transfer.* from walked
           cross join lateral (
             select * from transfer
              where debit_account_id = account_id and kind <> 'credit' and ($3::bigint is null or id < $3)
              order by id desc limit $4
           ) as transfer)
         order by id desc limit $4
       )
       select other.id, other.kind, other.activity_id as "activityId", null as link, reference, other.created_at as at,
              case when other.kind = 'reversal' then other.source_id end as reverses, reversal.id as "reversedBy",
              case when other.credit_account_id = wallet.id then other.amount_minor else -other.amount_minor end as amount
         from other
         join wallet on wallet.id in (other.credit_account_id, other.debit_account_id)
         left join deposit_reference on transfer_id = other.id
         left join transfer as reversal
                on reversal.kind = 'reversal' and other.kind = 'deposit' and reversal.source_id = other.id
        order by other.id desc`,
      [ownerId, currency, beforeId, max, filter.activityId],
    );
    const entries = found.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount) }));
    const last = entries.at(-1);
    const rows = entries.filter((entry) => isWanted(entry, filter));
    if (!last || entries.length < max || isPast(last, filter)) return { rows, next: NO_OTHERS };
    return { rows, next: last.id, pausedAt: last.id };
  }
}

const lookedAtMax = (filter: EntryFilter, limit: number): number =>
  Object.values(filter).some((wish) => wish !== undefined) ? LOOKED_AT_MAX : limit;

/** The walk has chosen the activity. */
const isWanted = ({ kind, at }: EntryRow, filter: EntryFilter): boolean =>
  (!filter.kind || filter.kind === kind) &&
  (!filter.from || at >= filter.from) &&
  (!filter.to || at < filter.to);

const isPast = ({ at }: EntryRow, { from }: EntryFilter): boolean =>
  from !== undefined && at.getTime() < from.getTime() - OUT_OF_ORDER_MAX_MS;

const entryOf = ({ id, link, amountMinor, creditedAt }: Credit & { readonly id: string }): EntryRow => ({
  id,
  link,
  kind: 'credit',
  activityId: link,
  reference: null,
  reverses: null,
  reversedBy: null,
  at: creditedAt,
  amountMinor: BigInt(amountMinor),
});
