import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppConfig } from '../../platform/config';
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
  /** Null when a deposit came without one. */
  readonly reference: string | null;
  readonly at: Date;
}

export interface EntryFilter {
  readonly activityId?: string;
  readonly kind?: TransferKind;
  readonly from?: Date;
  readonly to?: Date;
}

/** Rows that one page looks at for a filter. It may be empty, and still have a cursor. */
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

  /** Keeps it outside the ledger, whose rows say only what moved. */
  async keepReference(tx: EntityManager, transferId: string, reference: string): Promise<void> {
    await tx.query(`insert into deposit_reference (transfer_id, reference) values ($1, $2)`, [
      transferId,
      reference,
    ]);
  }

  /** The credits, and all other lines. */
  async entries(
    ownerId: string,
    filter: EntryFilter,
    { link, beforeId }: PageStart,
    limit: number,
  ): Promise<{ readonly credits: Walk<EntryRow>; readonly others: Walk<EntryRow> }> {
    const credits = await this.credits(ownerId, filter, link, limit);
    return { credits, others: await this.others(ownerId, filter, beforeId, limit) };
  }

  private async credits(
    ownerId: string,
    filter: EntryFilter,
    link: string | undefined,
    limit: number,
  ): Promise<Walk<EntryRow>> {
    const rows: EntryRow[] = [];
    const found = (next: string): Walk<EntryRow> => ({ rows, next });
    const { activityId } = filter;
    if (filter.kind !== undefined && filter.kind !== 'credit') return found(NO_LINK);
    const atOnce = activityId ? 1 : lookedAtMax(filter, limit);
    let lookedAt = 0;
    for await (const credit of this.chain.walk(ownerId, link ?? activityId, atOnce)) {
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
       select other.id, kind, activity_id as "activityId", null as link, reference, created_at as at,
              case when credit_account_id = wallet.id then amount_minor else -amount_minor end as amount
         from other
         join wallet on wallet.id in (credit_account_id, debit_account_id)
         left join deposit_reference on transfer_id = other.id
        order by other.id desc`,
      [ownerId, this.config.CURRENCY, beforeId, max, filter.activityId],
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
  at: creditedAt,
  amountMinor: BigInt(amountMinor),
});
