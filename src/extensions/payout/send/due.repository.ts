import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isToCome, isWithin } from '../../../platform/postgres';
import type { CallMoment, NewCall } from '../book/entries';
import type { PayoutState } from '../book/payout-state';
import { CLOCK_MARGIN, LEASE_SECONDS_MAX, WAIT_SECONDS_MAX } from '../channel/waits';

/** A payout whose turn it is. */
export interface Due {
  readonly id: string;
  readonly userId: string;
  readonly amountMinor: bigint;
  readonly state: PayoutState;
  readonly attempt: number;
  readonly createdAt: Date;
  /** For a payout of a rain: the number of wins that it combines. */
  readonly claims: number | null;
  /** The channel was never asked to pay it, or has said that it has not taken it. */
  readonly isNew: boolean;
  readonly notFound: number;
  readonly isKeyAlive: boolean;
  readonly isQuarantineOver: boolean;
  readonly mayPay: boolean;
}

export interface PlannedCall extends Due, Pick<NewCall, 'method'> {
  readonly isProbe: boolean;
}

/** A call that is on record. */
export type Call = PlannedCall & CallMoment;

/** The payouts that are asked for. */
export interface Wanted {
  /** True for payouts of users in trouble, false for those of all others. */
  readonly inTrouble: boolean;
  /** If the channel is in doubt, the payouts of the latest users say most about it. */
  readonly newestFirst: boolean;
  /** True for payouts that were sent before, false for those that never were. */
  readonly wasSent: boolean;
  /** Nothing is paid, not even a second time. */
  readonly paysNothing: boolean;
  /** A payment above it fits into no day, and does not hold up any that fits. */
  readonly mostMinor?: bigint;
}

/** How long a channel knows a payment by its key, and how long an unknown one is left alone. */
export interface KeyTimes {
  readonly keyLifetimeSeconds: number;
  readonly quarantineSeconds: number;
}

const SIBLINGS_MAX = 100;

/** A page is full of a few users only if each has several payouts: the next query takes those that remain. */
const PAGES_MAX = 4;

/** Users with a payout whose last calls, one or more, have brought it no further. */
export const IN_TROUBLE = `select user_id from payout where channel_id = $1 and setbacks > 0 and ended_at is null`;

/** True while a call of the payout is under way. */
export const IS_LEASED = isToCome('leased_until', LEASE_SECONDS_MAX);

/**
 * After a quiet day Postgres believes that no payout waits, so it might sort those of a whole crowd for each hundred
 * of them, rather than take them from an index in order.
 */
const WALK_INDEXES = `select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
                             set_config('enable_seqscan', 'off', true)`;

/** Whether a user's payout is in channel `$1`. No index serves this form: a user has few payouts, a channel many. */
const isOfChannel = (one: string): string => `${one}.channel_id is not distinct from $1`;

/** SQL: true unless the channel $1 has just refused the user of `payout` three times in a row. */
const IS_USER_ACCEPTED = `3 > (
            select count(*) from (
              select past.state, past.code, past.ended_at from payout as past
               where past.user_id = payout.user_id and ${isOfChannel('past')} and past.ended_at is not null
               order by past.id desc limit 3) as last
             where last.state = 'refused' and last.code in ('user-unknown', 'user-closed', 'limit-user')
               and ${isWithin('last.ended_at', 600)})`;

/**
 * Seconds that grow with the time since the payment was last asked for: half of it. A clock that was wrong then or is
 * wrong now makes nobody wait long: each call doubles what the wait may be.
 */
const waitByAge = (since: string): string =>
  `least(${WAIT_SECONDS_MAX}, 16 * power(2, least(calls, 10)), greatest(0, extract(epoch from now() - ${since}) / 2))`;

/** Payouts of a channel that is called: whose turn it is, and how long they wait after a call. */
@Injectable()
export class DueRepository {
  /**
   * Locks payouts whose turn it is, oldest first. A user has one call at a time, so calls that hang do not
   * take room from others.
   */
  async findDue(
    tx: EntityManager,
    channelId: string,
    limit: number,
    times: KeyTimes,
    wanted: Wanted,
  ): Promise<Due[]> {
    await tx.query(WALK_INDEXES);
    const found = new Map<string, Due>();
    for (let page = 0; page < PAGES_MAX && found.size < limit; page++) {
      const room = limit - found.size;
      const rows = await this.findPage(tx, channelId, room, times, wanted, [...found.keys()]);
      for (const row of rows) if (!found.has(row.userId)) found.set(row.userId, row);
      if (rows.length < room) break;
    }
    return [...found.values()];
  }

  /**
   * A key whose first sending lies in the future was sent by a clock that was ahead, so nobody knows its
   * age. A user whom the channel has refused three times in a row is held for ten minutes.
   */
  private async findPage(
    tx: EntityManager,
    channelId: string,
    limit: number,
    { keyLifetimeSeconds, quarantineSeconds }: KeyTimes,
    { wasSent, paysNothing, mostMinor, inTrouble, newestFirst }: Wanted,
    butOf: readonly string[],
  ): Promise<Due[]> {
    const order = newestFirst ? 'desc' : 'asc';
    // Users in trouble are few, and may be last in the order of the index.
    const turn = inTrouble ? `payout.due_at + interval '0'` : 'payout.due_at';
    const isDue = (one: string) =>
      `${one}.channel_id = $1 and ${one}.ended_at is null and ${one}.due_at <= now()
          and ${one}.state ${wasSent ? `not in ('review', 'reserved')` : `= 'reserved'`}
          and ($6::bigint is null or ${one}.amount_minor <= $6)`;
    const users = inTrouble
      ? `payout.id in (select first.id from (${IN_TROUBLE} group by 1) as troubled
                        cross join lateral (select one.id from payout as one
                                             where one.user_id = troubled.user_id and ${isDue('one')}
                                             order by one.due_at, one.id limit 1) as first)`
      : `payout.user_id not in (${IN_TROUBLE})`;
    const rows = await tx.query<(Omit<Due, 'amountMinor'> & { amountMinor: string })[]>(
      `select payout.id, user_id as "userId", amount_minor as "amountMinor", state, attempt, claims,
              payout.created_at as "createdAt", first_sent_at is null as "isNew", not_found as "notFound",
              coalesce(first_sent_at + make_interval(secs => $3) > now() and first_sent_at < now() + ${CLOCK_MARGIN},
                       true) as "isKeyAlive",
              coalesce(last_sent_at + make_interval(secs => $4) <= now(), false) as "isQuarantineOver",
              hold.not_held as "mayPay"
         from payout
         join account wallet on wallet.id = wallet_account_id
        cross join lateral (
          select wallet.status = 'active' and not $5::boolean and ${IS_USER_ACCEPTED} as not_held
          offset 0
        ) as hold
        where ${isDue('payout')} ${wasSent ? '' : 'and hold.not_held'}
          and payout.user_id <> all($7) and ${users}
          and payout.user_id not in (select user_id from payout where channel_id = $1 and ${IS_LEASED})
        order by ${turn} ${order}, payout.id ${order} limit $2
          for update of payout skip locked`,
      [channelId, limit, keyLifetimeSeconds, quarantineSeconds, paysNothing, mostMinor, butOf],
    );
    return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
  }

  /** Returns why a channel that may be called is not asked to pay a payout now, if it is not. */
  async holdOf(
    tx: EntityManager,
    { id, channelId }: { readonly id: string; readonly channelId: string },
    roomMinor: bigint,
  ): Promise<string | undefined> {
    const [row] = await tx.query<{ why: string | null }[]>(
      `select case when wallet.status <> 'active' then 'the wallet of its user is frozen'
                   when not (${IS_USER_ACCEPTED}) then 'the channel has refused its user three times in a row'
                   when amount_minor > $3::bigint then 'it is more than the channel may still be sent today' end as why
         from payout
         join account wallet on wallet.id = wallet_account_id
        where payout.channel_id = $1 and payout.id = $2`,
      [channelId, id, roomMinor],
    );
    return row?.why ?? undefined;
  }

  /**
   * Ends the lease. The wait until the next call grows with the time since the payment was last asked for,
   * and half of it is random. A payment that was never asked for has only served to ask whether the channel
   * is alive.
   */
  async release(tx: EntityManager, id: string, isFound: boolean | undefined): Promise<void> {
    await tx.query(
      `update payout
          set leased_until = null,
              not_found = case when $2::boolean is null then not_found when $2 then 0 else not_found + 1 end,
              setbacks = case when $2 then 0 else setbacks end,
              due_at = now() + (0.5 + random()) * make_interval(secs => case when $2 = false then 1 when state = 'reserved' then 0 else
                greatest(1, ${waitByAge('coalesce(last_sent_at, created_at)')}) end)
        where id = $1`,
      [id, isFound ?? null],
    );
  }

  /**
   * Ends the lease of a payout whose call has brought it no further, and lets its user wait: twice as long
   * each time, and at least as long as the channel wishes, but no more than ten minutes. Other payouts of the
   * user wait half as long, so they have their turns before it. Payouts that someone else holds are left
   * alone.
   * @returns true if the user was not in trouble before
   */
  async setBack(
    tx: EntityManager,
    { id, channelId, userId }: { id: string; channelId: string; userId: string },
    secondsMin: number,
  ): Promise<boolean> {
    const [row] = await tx.query<{ isFirst: boolean }[]>(
      `with wait as materialized (
         select sum(setbacks) is null as is_first,
                least(${WAIT_SECONDS_MAX}, greatest(power(2, least(10, coalesce(sum(setbacks), 0))), $4::float8)) as seconds
           from payout where channel_id = $1 and user_id = $2 and setbacks > 0 and ended_at is null
       ), own as (
         update payout
            set setbacks = setbacks + 1, leased_until = null,
                due_at = now() + (0.5 + random()) * make_interval(secs =>
                  greatest(seconds, ${waitByAge('last_sent_at')}))
           from wait where id = $3
       ), others as (
         update payout set due_at = now() + make_interval(secs => seconds / 2)
           from wait
          where id in (select id from payout
                        where user_id = $2 and ${isOfChannel('payout')} and id <> $3 and ended_at is null and state <> 'review'
                          and due_at < now() + make_interval(secs => (select seconds from wait) / 2)
                        order by due_at limit ${SIBLINGS_MAX} for update skip locked)
       )
       select is_first as "isFirst" from wait`,
      [channelId, userId, id, secondsMin],
    );
    return row!.isFirst;
  }
}
