import { decodeCursor, encodeCursor, isId, type Page } from '../../platform/http';

/**
 * The credits of a wallet, newest first, as rows of `listed`: for `with`. `$1` is the owner, `$2` the currency, `$3` the activity of
 * the first one, or null for the newest, and `$4` says whether those before it follow.
 *
 * The wallet names the activity that was credited to it last, and each credit the one before. A user has one claim in an
 * activity, so its name leads to both rows by their keys, and into one partition. What is not asked for is not read: a limit
 * ends the walk. So does an activity whose rows were archived: it is the last row, and has nothing but its name.
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

/** The end of a history is where it was archived. */
export interface HistoryPage<Item> extends Page<Item> {
  /** Whether older items were archived. */
  readonly archived: boolean;
}

/** A row of a list that is put together from a chain of credits and from other rows. Newer ones have higher ids. */
export interface ListedRow {
  /** Null where the rest was archived. */
  readonly id: string | null;
  /** The activity of a credit; null for all other rows. */
  readonly link: string | null;
}

/** Where a page begins. */
export interface Place {
  /** The activity of its first credit: `0` after the last one, undefined for the newest. */
  readonly link?: string;
  /** Of the other rows those that are older; all where it is undefined. */
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
 * The newest of both kinds of rows, each in its own order and read with a limit of one more than asked. What both kinds have gone
 * through so far is the cursor, so that a row is on one page, whatever the other kind holds.
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
