import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { AccountKind, AccountStatus, TransferKind } from './account';

export interface ListedWallet {
  /** The id of the account. */
  readonly id: string;
  readonly ownerId: string;
  readonly balanceMinor: bigint;
  readonly status: AccountStatus;
  readonly createdAt: Date;
}

export interface ListedSponsor extends Pick<ListedWallet, 'id' | 'ownerId' | 'balanceMinor' | 'status'> {
  readonly activities: number;
  readonly inActivitiesMinor: bigint;
}

export interface FoundTransfer {
  readonly id: string;
  readonly kind: TransferKind;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly fromKind: AccountKind;
  readonly fromOwner: string;
  readonly toKind: AccountKind;
  readonly toOwner: string;
  readonly activityId: string | null;
  readonly reference: string | null;
  readonly at: Date;
}

/** How many sponsors are searched for one page if ids have to begin with a text. */
export const SPONSORS_LOOKED_AT_MAX = 500;

/** The highest character: every text with a given beginning sorts before that beginning followed by this. */
const LAST_CHARACTER = `chr(1114111)`;

const TRANSFER = `
  select transfer.id, transfer.kind, transfer.amount_minor as "amountMinor", debit.currency, debit.kind as "fromKind",
         debit.owner_id as "fromOwner", credit.kind as "toKind", credit.owner_id as "toOwner",
         transfer.activity_id as "activityId", deposit_reference.reference, transfer.created_at as at
    from transfer
    join account debit on debit.id = debit_account_id
    join account credit on credit.id = credit_account_id
    left join deposit_reference on transfer_id = transfer.id`;

/** Finds wallets, sponsors and transfers for staff. Each page is read by an index. */
@Injectable()
export class WalletListRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Wallets of a currency in the order of their owners' bytes, after that account. */
  async wallets(
    currency: string,
    { ownerId = '', status }: { readonly ownerId?: string; readonly status?: AccountStatus },
    afterId: string | undefined,
    limit: number,
  ): Promise<ListedWallet[]> {
    const owner = 'owner_id collate "C"';
    // As a literal, so that the index of frozen wallets is used.
    const which = status === undefined ? '' : `and status = '${status === 'frozen' ? 'frozen' : 'active'}'`;
    const rows = await this.dataSource.query<ListedWallet[]>(
      `select id, owner_id as "ownerId", balance_minor as "balanceMinor", status, created_at as "createdAt"
         from account
        where kind = 'wallet' and currency = $1 ${which}
          and ${owner} >= $2 and ${owner} < $2 || ${LAST_CHARACTER}
          and ($3::bigint is null or ${owner} > (select owner_id from account where id = $3))
        order by ${owner} limit $4`,
      [currency, ownerId, afterId, limit],
    );
    return rows.map((row) => ({ ...row, balanceMinor: BigInt(row.balanceMinor) }));
  }

  /**
   * Reads up to `lookedAtMax` sponsors after the sponsor with that wallet, one step of an index each, and returns those
   * whose id begins with the text and who have a wallet in the currency.
   */
  async sponsors(
    currency: string,
    beginning: string,
    afterId: string | undefined,
    lookedAtMax: number,
  ): Promise<{ readonly found: ListedSponsor[]; readonly lookedTo: string | null }> {
    const rows = await this.dataSource.query<
      (ListedSponsor & {
        readonly isWanted: boolean;
        readonly balance: string;
        readonly inActivities: string;
      })[]
    >(
      `with recursive walked as (
         (select sponsor_id, sponsor_account_id as id, 1 as no from activity
           where sponsor_id >= $1
             and ($2::bigint is null or sponsor_id > (select owner_id from account where id = $2))
           order by sponsor_id limit 1)
         union all
         select next.sponsor_id, next.sponsor_account_id, no + 1
           from walked
          cross join lateral (
            select sponsor_id, sponsor_account_id from activity
             where activity.sponsor_id > walked.sponsor_id order by sponsor_id limit 1
          ) as next
          where no < $3
       )
       select walked.id, sponsor_id as "ownerId", wallet.balance_minor as balance, wallet.status,
              starts_with(sponsor_id, $1) and wallet.id is not null as "isWanted", open.activities, open.minor as "inActivities"
         from walked
         left join account wallet on wallet.owner_id = sponsor_id and wallet.kind = 'wallet' and wallet.currency = $4
        cross join lateral (
          select count(*)::int as activities, coalesce(sum(escrow.balance_minor), 0) as minor
            from activity
            join account escrow on escrow.id = escrow_account_id
           where starts_with(walked.sponsor_id, $1) and activity.sponsor_id = walked.sponsor_id
             and activity.status = 'active' and activity.currency = $4
        ) as open
        order by no`,
      [beginning, afterId, lookedAtMax, currency],
    );
    const found = rows
      .filter(({ isWanted }) => isWanted)
      .map(({ id, ownerId, status, activities, balance, inActivities }) => ({
        ...{ id, ownerId, status, activities },
        balanceMinor: BigInt(balance),
        inActivitiesMinor: BigInt(inActivities),
      }));
    return { found, lookedTo: rows.length < lookedAtMax ? null : rows.at(-1)!.id };
  }

  /** Looks into every partition: one for each 10,000 activities. */
  async transfer(id: string): Promise<FoundTransfer | undefined> {
    const [row] = await this.read(`${TRANSFER} where transfer.id = $1`, [id]);
    return row;
  }

  /** Newest first. */
  deposits(reference: string, beforeId: string | undefined, limit: number): Promise<FoundTransfer[]> {
    return this.read(
      `${TRANSFER}
        where transfer.kind = 'deposit'
          and transfer.id in (select transfer_id from deposit_reference
                               where reference = $1 and ($2::bigint is null or transfer_id < $2)
                               order by transfer_id desc limit $3)
        order by transfer.id desc`,
      [reference, beforeId, limit],
    );
  }

  private async read(sql: string, values: unknown[]): Promise<FoundTransfer[]> {
    const rows = await this.dataSource.query<FoundTransfer[]>(sql, values);
    return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
  }
}
