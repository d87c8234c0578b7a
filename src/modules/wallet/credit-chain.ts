import { decodeCursor, encodeCursor, isId, type Page } from '../../platform/http';

/**
 * The credits of a wallet, newest first, as rows of `listed`. The text belongs after `with`. `$1`
 * is the owner, `$2` the currency, `$3` the activity of the first credit, or null for the newest.
 * `$4` is true when the earlier credits follow.
 *
 * The wallet names the activity of its last credit, and each credit names the activity of the one
 * before. A user has one claim in an activity, so the activity's id leads to the claim and its
 * transfer by their keys, within one partition. A limit ends the walk, so later rows are not read.
 * The walk also ends at an activity whose rows were archived: that last row holds only the
 * activity's id.
 */
export const CREDITS = `
  recursive credit as (
    select head.activity_id as link, own.* from (
      select coalesce($3::bigint, last_credit_in) as activity_id
        from account where owner_id = $1 and kind = 'wallet' and currency = $2
    ) as head ${linkOf('head.activity_id')} where head.activity_id > 0
    union all
    select credit.previous_credit_in, own.* from credit ${linkOf('credit.previous_credit_in')}
     where credit.previous_credit_in is not null and $4::boolean
  ), listed as (select * from credit where claim_id is not null or $4::boolean)`;

function linkOf(activity: string): string {
  return `
    left join lateral (
      select claim.id as claim_id, claim.activity_id, claim.packet_no, claim.amount_minor, claim.confirmed_at,
             transfer.id as transfer_id, transfer.created_at, transfer.previous_credit_in
        from claim
        join transfer on transfer.kind = 'credit' and transfer.source_id = claim.id
                     and transfer.activity_id = claim.activity_id
       where claim.activity_id = ${activity} and claim.user_id = $1
      offset 0
    ) as own on true`;
}

/** A page of a history, which ends where older items were archived. */
export interface HistoryPage<Item> extends Page<Item> {
  /** True when older items were archived. */
  readonly archived: boolean;
}

/** A row of a list that joins a chain of credits with other rows. Newer rows have higher ids. */
export interface ListedRow {
  /** The id; null for the last row, after which everything was archived. */
  readonly id: string | null;
  /** The activity of a credit; null for all other rows. */
  readonly link: string | null;
}

/** The place where a page begins. */
export interface Place {
  /** The activity of the page's first credit: `0` after the last one, undefined for the newest. */
  readonly link?: string;
  /** The other rows of the page have lower ids than this one. Undefined for the newest. */
  readonly beforeId?: string;
}

/** @throws Problem `request.invalid` when the cursor was not made by {@link pageOf} */
export function placeOf(cursor: string | undefined): Place {
  const [link, beforeId] = decodeCursor(cursor, isPlace)?.split('.') ?? [];
  return { link, beforeId: beforeId === '0' ? undefined : beforeId };
}

function isPlace(value: string): boolean {
  const parts = value.split('.');
  return parts.length === 2 && parts.every((part) => part === '0' || isId(part));
}

/**
 * Merges both kinds of rows into a page, newest first. Each kind comes in its own order, read with
 * a limit of one more than asked. The cursor holds the place in both kinds, so each row is on one
 * page, whatever the other kind holds.
 */
export function pageOf<Row extends ListedRow>(
  rows: readonly Row[],
  limit: number,
  { beforeId }: Place,
): HistoryPage<Row> {
  const listed = rows.filter(({ id }) => id !== null);
  const credits = listed.filter(({ link }) => link !== null);
  const others = listed.filter(({ link }) => link === null);
  const items: Row[] = [];
  let [credit, other] = [0, 0];
  while (items.length < limit && items.length < listed.length)
    items.push(isNewer(credits[credit], others[other]) ? credits[credit++]! : others[other++]!);
  if (items.length === listed.length)
    return { items, nextCursor: null, archived: listed.length < rows.length };
  const end = rows.find(({ id }) => id === null);
  const place = [(credits[credit] ?? end)?.link ?? '0', others[other - 1]?.id ?? beforeId ?? '0'];
  return { items, nextCursor: encodeCursor(place.join('.')), archived: false };
}

function isNewer(one: ListedRow | undefined, other: ListedRow | undefined): boolean {
  if (one === undefined || other === undefined) return other === undefined;
  return BigInt(one.id!) > BigInt(other.id!);
}
