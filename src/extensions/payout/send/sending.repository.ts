import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { daySum, isToCome, isWithin } from '../../../platform/postgres';
import { IS_HELD } from '../channel/finding.repository';
import type { CallMoment, NewCall } from '../book/entries';
import type { PayoutState } from '../book/payout-state';
import {
  CIRCUIT_SECONDS_MAX,
  CLOCK_MARGIN,
  DUE_SECONDS_MAX,
  HELD_SECONDS_MAX,
  LEASE_SECONDS_MAX,
  WAIT_SECONDS_MAX,
} from '../channel/waits';

/** A payout whose turn it is. */
export interface Due {
  readonly id: string;
  readonly userId: string;
  readonly amountMinor: bigint;
  readonly state: PayoutState;
  readonly attempt: number;
  readonly createdAt: Date;
  /** Of a rain: how many wins it gathers. */
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

/** The pace of a channel now, locked. */
export interface Turn {
  readonly tokens: number;
  readonly leased: number;
  /** Those of the leased that are of users in trouble. */
  readonly leasedInTrouble: number;
  readonly hasTrouble: boolean;
  readonly isHeld: boolean;
  readonly circuit: 'closed' | 'half-open' | 'probe' | 'open';
  readonly daySentMinor: bigint;
  /** Where payments are sent from now on; it does not change during the turn. */
  readonly url: string;
  readonly isPaused: boolean;
  /** The channel has said that it takes no payment for a while. It is asked for others all the same. */
  readonly paymentsAreHeld: boolean;
  /** A finding leaves open what the channel has paid. */
  readonly isDoubted: boolean;
}

/** The payouts that are asked for. */
export interface Wanted {
  /** True for payouts of users in trouble, false for those of all others. */
  readonly inTrouble: boolean;
  /** Where the channel is in doubt, those of the latest users say most about it. */
  readonly newestFirst: boolean;
  /** True for payouts that were sent before, false for those that never were. */
  readonly wasSent: boolean;
  /** Nothing is paid, also not for a second time. */
  readonly paysNothing: boolean;
  /** A payment above it fits into no day, and holds up none that does. */
  readonly mostMinor?: bigint;
}

/** What goes wrong for this many users in a row is theirs alone. With one more, it is the channel's. */
const USERS_MAX = 5;

const SIBLINGS_MAX = 100;

const RECOVERED_MAX = 1_000;

/** Users with a payout whose last calls, one or more, have brought it no further. */
const IN_TROUBLE = `select user_id from payout where channel_id = $1 and setbacks > 0 and ended_at is null`;

/** True while a call of the payout is under way. */
const IS_LEASED = isToCome('leased_until', LEASE_SECONDS_MAX);

/** A channel may refuse a share of the payments at any pace. Slower than this helps nobody: each refusal is waited out. */
const PACE_FACTOR_MIN = 0.1;

/** Payouts that a clock which was ahead has put off are due again, so many at a time. */
const MENDED_AT_ONCE = 1_000;

const DAY = daySum('today', 'day_minor');

/** The later end of a hold that lasts, and one of $2 seconds from now. */
const heldUntil = (moment: string): string =>
  `greatest(now() + make_interval(secs => $2), case when ${isToCome(moment, HELD_SECONDS_MAX)} then ${moment} end)`;

/** Calls are recorded before they are made. Whoever takes up calls of a channel locks its pace. */
@Injectable()
export class SendingRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async begin(channelId: string): Promise<void> {
    await this.dataSource.query(`insert into payout_pace (channel_id) values ($1) on conflict do nothing`, [
      channelId,
    ]);
  }

  /**
   * Returns undefined while another worker has its turn. Fills the bucket, which holds 200 ms. Where
   * the clock has stepped back since the last turn, the waits of the channel step back with it, and
   * payouts that are due further ahead than any can be are due now.
   */
  async takeTurn(
    tx: EntityManager,
    channelId: string,
    perSecond: number,
    timeZone: string,
  ): Promise<Turn | undefined> {
    const locked = await tx.query<unknown[]>(
      `select 1 from payout_pace where channel_id = $1 for update skip locked`,
      [channelId],
    );
    if (locked.length === 0) return undefined;
    const [turn] = await tx.query<(Omit<Turn, 'daySentMinor'> & { daySentMinor: string })[]>(
      `with turn as (
         update payout_pace
            set factor = least(1, factor * (1 + passed.seconds / 10)), filled_at = now(),
                tokens = least(greatest(1, $2 / 5.0), tokens + passed.seconds * $2 * factor),
                held_until = held_until - stepped_back, payments_held_until = payments_held_until - stepped_back,
                open_until = open_until - stepped_back,
                day = ${DAY.day}, day_minor = ${DAY.sum}, days = ${DAY.days}
           from (select greatest(0, extract(epoch from now() - filled_at)) as seconds,
                        greatest(interval '0', filled_at - now()) as stepped_back, (now() at time zone $3)::date as today
                   from payout_pace where channel_id = $1) as passed
          where channel_id = $1
         returning payout_pace.*, today
       ), mended as (
         update payout set due_at = now()
          where id in (select id from payout
                        where channel_id = $1 and ended_at is null and state <> 'review'
                          and due_at > now() + make_interval(secs => ${DUE_SECONDS_MAX})
                        order by due_at limit ${MENDED_AT_ONCE} for update skip locked)
       )
       select tokens, ${isToCome('held_until', HELD_SECONDS_MAX)} as "isHeld",
              ${isToCome('payments_held_until', HELD_SECONDS_MAX)} as "paymentsAreHeld", ${DAY.counted} as "daySentMinor",
              case when ${isToCome('open_until', CIRCUIT_SECONDS_MAX)} then 'open' when open_until is not null then 'probe'
                   when failures >= ${USERS_MAX} then 'half-open' else 'closed' end as circuit,
              leased, "leasedInTrouble", exists (${IN_TROUBLE}) as "hasTrouble",
              channel.url, channel.is_paused as "isPaused",
              ${IS_HELD} as "isDoubted"
         from turn
         join payout_channel as channel on channel.id = $1
        cross join lateral (
          select count(*)::int as leased, (count(*) filter (where user_id in (${IN_TROUBLE})))::int as "leasedInTrouble"
            from payout where channel_id = $1 and ${IS_LEASED}) as under_way`,
      [channelId, perSecond, timeZone],
    );
    return { ...turn!, daySentMinor: BigInt(turn!.daySentMinor) };
  }

  /**
   * Locks payouts whose turn it is, oldest first. A user has one call at a time, so calls that hang
   * take no room from others. A key whose first sending lies in the future was sent by a clock that was
   * ahead, so nobody knows its age. A user whom the channel has refused three times in a row is held
   * for ten minutes.
   */
  async due(
    tx: EntityManager,
    channelId: string,
    limit: number,
    { keyLifetimeSeconds, quarantineSeconds }: { keyLifetimeSeconds: number; quarantineSeconds: number },
    { wasSent, paysNothing, mostMinor, inTrouble, newestFirst }: Wanted,
  ): Promise<Due[]> {
    const isDue = (one: string) =>
      `${one}.channel_id = $1 and ${one}.ended_at is null and ${one}.due_at <= now()
          and ${one}.state ${wasSent ? `not in ('review', 'reserved')` : `= 'reserved'`}
          and ($6::bigint is null or ${one}.amount_minor <= $6)`;
    const order = newestFirst ? 'desc' : 'asc';
    const rows = await tx.query<(Omit<Due, 'amountMinor'> & { amountMinor: string })[]>(
      `select payout.id, user_id as "userId", amount_minor as "amountMinor", state, attempt,
              payout.created_at as "createdAt", first_sent_at is null as "isNew", not_found as "notFound",
              coalesce(first_sent_at + make_interval(secs => $3) > now() and first_sent_at < now() + ${CLOCK_MARGIN},
                       true) as "isKeyAlive",
              coalesce(last_sent_at + make_interval(secs => $4) <= now(), false) as "isQuarantineOver",
              hold.not_held as "mayPay",
              (select (detail->>'claims')::int from payout_event
                where payout_id = payout.id and payout_event.state = 'reserved' order by payout_event.id limit 1) as claims
         from payout
         join account wallet on wallet.id = wallet_account_id
        cross join lateral (
          select wallet.status = 'active' and not $5::boolean and 3 > (
            select count(*) from (
              select past.state, past.code, past.ended_at from payout as past
               where past.user_id = payout.user_id and past.channel_id = $1 and past.ended_at is not null
               order by past.id desc limit 3) as last
             where last.state = 'refused' and last.code in ('user-unknown', 'user-closed', 'limit-user')
               and ${isWithin('last.ended_at', 600)}) as not_held
        ) as hold
        where ${isDue('payout')} ${wasSent ? '' : 'and hold.not_held'}
          and payout.user_id ${inTrouble ? 'in' : 'not in'} (${IN_TROUBLE})
          and payout.user_id not in (select user_id from payout where channel_id = $1 and ${IS_LEASED})
          and payout.id = (select first.id from payout as first
                            where first.user_id = payout.user_id and ${isDue('first')}
                            order by first.due_at, first.id limit 1)
        order by due_at ${order}, payout.id ${order} limit $2
          for update of payout skip locked`,
      [channelId, limit, keyLifetimeSeconds, quarantineSeconds, paysNothing, mostMinor],
    );
    return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
  }

  async spend(
    tx: EntityManager,
    channelId: string,
    calls: number,
    sentMinor: bigint,
    probeSeconds: number | undefined,
  ): Promise<void> {
    await tx.query(
      `update payout_pace
          set tokens = tokens - $2, day_minor = day_minor + $3::bigint, days = ${DAY.daysAdding('$3::bigint', 'days')},
              open_until = case when $4::float8 is null then open_until else now() + make_interval(secs => $4) end
         from (select (now() at time zone (profile->>'timeZone'))::date as today
                 from payout_channel where id = $1) as clock
        where channel_id = $1`,
      [channelId, calls, sentMinor, probeSeconds ?? null],
    );
  }

  /**
   * Ends the lease. The wait until the next call grows with the time since the payment was last asked
   * for, and half of it is random. One that was never asked for has only been a question whether the
   * channel lives.
   */
  async release(tx: EntityManager, id: string, isFound: boolean | undefined): Promise<void> {
    await tx.query(
      `update payout
          set leased_until = null,
              not_found = case when $2::boolean is null then not_found when $2 then 0 else not_found + 1 end,
              setbacks = case when $2 then 0 else setbacks end,
              due_at = now() + (0.5 + random()) * make_interval(secs => case when $2 = false then 1 when state = 'reserved' then 0 else
                least(${WAIT_SECONDS_MAX}, greatest(1, abs(extract(epoch from now() - coalesce(last_sent_at, created_at))) / 2)) end)
        where id = $1`,
      [id, isFound ?? null],
    );
  }

  /**
   * Ends the lease of a payout whose call has brought it no further, and lets its user wait: twice as
   * long each time, and at least as long as the channel wishes, but no more than ten minutes. Other
   * payouts of the user wait half as long, so they have their turns before it. Those that somebody else
   * holds are left alone.
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
                  greatest(seconds, least(${WAIT_SECONDS_MAX}, coalesce(abs(extract(epoch from now() - last_sent_at)) / 2, 0))))
           from wait where id = $3
       ), others as (
         update payout set due_at = now() + make_interval(secs => seconds / 2)
           from wait
          where id in (select id from payout
                        where channel_id = $1 and user_id = $2 and id <> $3 and ended_at is null and state <> 'review'
                          and due_at < now() + make_interval(secs => (select seconds from wait) / 2)
                        order by due_at limit ${SIBLINGS_MAX} for update skip locked)
       )
       select is_first as "isFirst" from wait`,
      [channelId, userId, id, secondsMin],
    );
    return row!.isFirst;
  }

  /** The channel has said that it has not taken the payment. Another day than that of the call has not counted it. */
  async forgetSent(tx: EntityManager, channelId: string, { id, amountMinor, at }: Call): Promise<void> {
    await tx.query(
      `update payout set first_sent_at = null, last_sent_at = null, leased_until = null, due_at = now() where id = $1`,
      [id],
    );
    await tx.query(
      `update payout_pace set day_minor = greatest(0, day_minor - $2)
         from payout_channel as channel
        where payout_pace.channel_id = $1 and channel.id = $1
          and day = ($3::timestamptz at time zone (profile->>'timeZone'))::date`,
      [channelId, amountMinor, at],
    );
  }

  /** @param hasTaken whether the channel has taken a payment */
  async succeeded(tx: EntityManager, channelId: string, hasTaken: boolean): Promise<void> {
    await tx.query(
      `update payout_pace set failures = 0, openings = 0, refusals = case when $2 then 0 else refusals end
        where channel_id = $1 and open_until is null and (failures > 0 or openings > 0 or $2 and refusals > 0)`,
      [channelId, hasTaken],
    );
  }

  /** The channel lives. What it was asked meanwhile need not wait: the trouble of those users was its own. */
  async recovered(tx: EntityManager, channelId: string): Promise<void> {
    await tx.query(
      `update payout set due_at = now()
        where id in (select id from payout
                      where channel_id = $1 and user_id in (${IN_TROUBLE}) and ended_at is null and state <> 'review'
                        and due_at > now() and not_found = 0
                      limit ${RECOVERED_MAX} for update skip locked)`,
      [channelId],
    );
    await tx.query(
      `update payout_pace set open_until = null, failures = ${USERS_MAX} where channel_id = $1`,
      [channelId],
    );
  }

  /**
   * Opens the circuit after failures of too many users in a row, or at once. The first question whether
   * the channel lives follows immediately, the next ones after growing waits.
   * @param counts false for a user in trouble, about whom a failure says more than about the channel
   */
  async failed(
    tx: EntityManager,
    channelId: string,
    { opens, counts, isProbe }: { opens: boolean; counts: boolean; isProbe: boolean },
  ): Promise<void> {
    if (!counts && !isProbe) return;
    await tx.query(
      `update payout_pace
          set failures = failures + $2::boolean::int,
              openings = case when $2 and ($3 or failures >= ${USERS_MAX}) then least(openings + 1, 10) else openings end,
              open_until = case when $3 or failures >= ${USERS_MAX}
                then now() + make_interval(secs => least(${WAIT_SECONDS_MAX}, power(2, openings) - 1) * (0.5 + random())) end
        where channel_id = $1 and (open_until is null or $4)`,
      [channelId, counts, opens || isProbe, isProbe],
    );
  }

  /**
   * The channel could not take the payment of a user who was not in trouble. A pace that is too fast is
   * slowed down once, however many of the calls under way are answered so.
   * @param at when the call was made; a pace that was slowed down since is another one
   */
  async couldNotTake(
    tx: EntityManager,
    channelId: string,
    at: Date,
    { stops, waitSeconds }: { stops: 'calls' | 'payments'; waitSeconds: number },
  ): Promise<void> {
    const isOfSeveral = `refusals >= ${USERS_MAX}`;
    const isAtThisPace = `(slowed_at <= $3 or slowed_at > clock_timestamp())`;
    if (stops === 'payments')
      await tx.query(
        `update payout_pace
            set refusals = refusals + 1,
                payments_held_until = case when ${isOfSeveral}
                  then ${heldUntil('payments_held_until')} else payments_held_until end
          where channel_id = $1`,
        [channelId, waitSeconds],
      );
    else
      await tx.query(
        `update payout_pace
            set refusals = refusals + 1,
                held_until = case when ${isOfSeveral}
                  then ${heldUntil('held_until')} else held_until end,
                factor = case when ${isAtThisPace} then greatest(factor / 2, ${PACE_FACTOR_MIN}) else factor end,
                tokens = case when ${isAtThisPace} then least(tokens, 1) else tokens end,
                slowed_at = case when ${isAtThisPace} then now() else slowed_at end
          where channel_id = $1`,
        [channelId, waitSeconds, at],
      );
  }
}
