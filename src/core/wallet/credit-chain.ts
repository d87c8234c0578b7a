import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { must } from '../../../libs/problem';
import { AppConfig } from '../../platform/config';
import { decodeCursor, encodeCursor, invalidField, isId, type Page } from '../../platform/http';
import type { Queries } from '../../platform/postgres';
import { stretchAround } from '../activity';

/** A credit of a wallet, with the claim that it paid. */
export interface Credit {
  /** The activity that led here. */
  readonly link: string;
  /** Null, as all other fields, when the rows of that activity were archived. */
  readonly id: string | null;
  readonly claimId: string;
  readonly packetNo: number;
  readonly amountMinor: string;
  readonly confirmedAt: Date;
  readonly creditedAt: Date;
  /** The activity that was credited to this wallet before. */
  readonly previous: string | null;
}

/**
 * The credits of wallets, newest first.
 *
 * The wallet names the activity of its last credit, and each credit names the activity of the previous one. A
 * user has one claim in an activity, so the activity's id leads to the claim and its transfer by their keys,
 * within one partition.
 *
 * One statement follows the chain as long as it stays in a partition, whose bounds it names: without them it
 * would lock every partition, and wait for anyone who keeps one locked.
 */
@Injectable()
export class CreditChain {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  /**
   * Yields the credits of a wallet, beginning with that of the activity `link`, or with the newest. The walk ends
   * at an activity whose rows were archived: that last credit has no id.
   *
   * @param atOnce the most credits that a statement reads
   * @param db where to read; pass the transaction to avoid a second connection
   * @throws Problem `request.invalid` naming the cursor, if `link` is of another currency
   */
  async *walk(
    ownerId: string,
    currency: string,
    link: string | undefined,
    atOnce: number,
    db: Queries = this.dataSource,
  ): AsyncGenerator<Credit> {
    if (link !== undefined && link !== NO_LINK && !(await this.isOf(link, currency, db)))
      throw invalidField('cursor', must.beA('cursor', 'must be a cursor of a list in the same currency'));
    let next = link ?? (await this.newest(ownerId, currency));
    while (next !== null && next !== NO_LINK) {
      const { first, last } = stretchAround(next, this.config.PARTITION_ACTIVITIES);
      const credits = await db.query<Credit[]>(CREDITS, [ownerId, next, first, last, atOnce]);
      yield* credits;
      next = credits.at(-1)!.previous;
    }
  }

  /** The chain of a wallet leads to no credit in another currency, unless the walk begins there. */
  async isOf(activityId: string, currency: string, db: Queries = this.dataSource): Promise<boolean> {
    const [row] = await db.query<{ is: boolean }[]>(
      `select currency = $2 as is from activity where id = $1`,
      [activityId, currency],
    );
    return row?.is ?? true;
  }

  private async newest(ownerId: string, currency: string): Promise<string | null> {
    const [wallet] = await this.dataSource.query<{ last: string | null }[]>(
      `select last_credit_in as last from account where owner_id = $1 and kind = 'wallet' and currency = $2`,
      [ownerId, currency],
    );
    return wallet?.last ?? null;
  }
}

/** The link after the last credit. */
export const NO_LINK = '0';

const CREDITS = `
  with recursive credit as (
    select $2::bigint as link, own.* from (values (1)) as head ${linkOf('$2::bigint')}
    union all
    select credit.previous, own.* from credit ${linkOf('credit.previous')} where credit.previous between $3 and $4
  )
  select * from credit limit $5`;

function linkOf(activity: string): string {
  return `
    left join lateral (
      select transfer.id, claim.id as "claimId", claim.packet_no as "packetNo", claim.amount_minor as "amountMinor",
             claim.confirmed_at as "confirmedAt", transfer.created_at as "creditedAt",
             transfer.previous_credit_in as previous
        from claim
        join transfer on transfer.kind = 'credit' and transfer.source_id = claim.id
                     and transfer.activity_id = claim.activity_id and transfer.activity_id between $3 and $4
       where claim.activity_id = ${activity} and claim.activity_id between $3 and $4 and claim.user_id = $1
      offset 0
    ) as own on true`;
}

/** A page of a history, which ends where older items were archived. */
export interface HistoryPage<Item> extends Page<Item> {
  readonly archived: boolean;
}

/** A row of a list that joins a chain of credits with other rows. Newer rows have higher ids. */
export interface ListedRow {
  readonly id: string;
  /** The activity of a credit; null for all other rows. */
  readonly link: string | null;
}

/** Where a page of the list begins. */
export interface PageStart {
  /** The activity of the page's first credit: `0` after the last one, undefined for the newest. */
  readonly link?: string;
  /** The other rows of the page have lower ids than this one. Undefined for the newest. */
  readonly beforeId?: string;
}

/**
 * The rows of one kind that a walk has found, newest first: as many as asked for and one more, or
 * all that it has reached.
 */
export interface Walk<Row> {
  readonly rows: readonly Row[];
  /** The place after all of them: of credits a link, of other rows an id. */
  readonly next: string;
  /** The id of the last row that was looked at, if there are more that were not. */
  readonly pausedAt?: string;
  /** True if the walk has reached rows that were archived. */
  readonly archived?: boolean;
}

/** No row has an id below this one. */
export const NO_OTHERS = '1';

/** @throws Problem `request.invalid` when the cursor was not made by {@link pageOf} */
export function pageStartOf(cursor: string | undefined): PageStart {
  const [link, beforeId] = decodeCursor(cursor, isPageStart)?.split('.') ?? [];
  return { link, beforeId: beforeId === '0' ? undefined : beforeId };
}

function isPageStart(value: string): boolean {
  const parts = value.split('.');
  return parts.length === 2 && parts.every((part) => part === '0' || isId(part));
}

/**
 * Merges both kinds of rows into a page, newest first. The cursor holds the place in both, so each
 * row is on one page. Where a walk has paused, the page ends early: older rows might belong after
 * rows that were not read yet.
 */
export function pageOf<Row extends ListedRow>(
  credits: Walk<Row>,
  others: Walk<Row>,
  limit: number,
): HistoryPage<Row> {
  const items: Row[] = [];
  let [credit, other] = [0, 0];
  while (items.length < limit) {
    const [one, another] = [credits.rows[credit], others.rows[other]];
    const row = isNewer(one, another) ? one! : another;
    if (!row || isBefore(row.id, credits.pausedAt) || isBefore(row.id, others.pausedAt)) break;
    items.push(row);
    if (row === one) credit++;
    else other++;
  }
  const [nextCredit, nextOther] = [credits.rows[credit], others.rows[other]];
  if (!nextCredit && !nextOther && !credits.pausedAt && !others.pausedAt)
    return { items, nextCursor: null, archived: credits.archived ?? false };
  const place = [nextCredit?.link ?? credits.next, nextOther ? after(nextOther.id) : others.next];
  return { items, nextCursor: encodeCursor(place.join('.')), archived: false };
}

const isBefore = (id: string, pausedAt: string | undefined): boolean =>
  pausedAt !== undefined && BigInt(id) < BigInt(pausedAt);

const after = (id: string): string => String(BigInt(id) + 1n);

function isNewer(one: ListedRow | undefined, other: ListedRow | undefined): boolean {
  if (one === undefined || other === undefined) return other === undefined;
  return BigInt(one.id) > BigInt(other.id);
}
