import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { daySum, isToCome } from '../../../platform/postgres';
import { isHeldByFinding } from '../channel/finding.repository';
import { CIRCUIT_SECONDS_MAX, DUE_SECONDS_MAX, HELD_SECONDS_MAX, WAIT_SECONDS_MAX } from '../channel/waits';
import { type Call, IN_TROUBLE, IS_LEASED } from './due.repository';

/** The pace of a channel now, locked. */
export interface Turn {
  readonly tokens: number;
  readonly leased: number;
  /** The leased ones that belong to users in trouble. */
  readonly leasedInTrouble: number;
  readonly hasTrouble: boolean;
  readonly isHeld: boolean;
  readonly circuit: 'closed' | 'half-open' | 'probe' | 'open';
  readonly daySentMinor: bigint;
  /** Where payments are sent from now on; it does not change during the turn. */
  readonly url: string;
  readonly isPaused: boolean;
  /** The channel has said that it takes no payments for a while. It is still asked about earlier ones. */
  readonly paymentsAreHeld: boolean;
  /** A finding leaves open what the channel has paid. */
  readonly isDoubted: boolean;
}

/**
 * Failures for up to this many users in a row are blamed on the users; one more, and the channel is to blame.
 */
const USERS_MAX = 5;

const RECOVERED_MAX = 1_000;

/** A channel may refuse a share of the payments at any pace. Slower than this helps nobody: each refusal is waited out. */
const PACE_FACTOR_MIN = 0.1;

/** Payouts that a clock running ahead has postponed become due again, this many at a time. */
const MENDED_AT_ONCE = 1_000;

const DAY = daySum('today', 'day_minor');

/** The later of the end of a current hold and $2 seconds from now. */
const heldUntil = (moment: string): string =>
  `greatest(now() + make_interval(secs => $2), case when ${isToCome(moment, HELD_SECONDS_MAX)} then ${moment} end)`;

/**
 * How fast, for how much, and whether at all a channel is called. Taking up calls of a channel locks its
 * pace.
 */
@Injectable()
export class PaceRepository {
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
              ${isHeldByFinding('$1')} as "isDoubted"
         from turn
         join payout_channel as channel on channel.id = $1
        cross join lateral (
          select count(*)::int as leased, (count(*) filter (where user_id in (${IN_TROUBLE})))::int as "leasedInTrouble"
            from payout where channel_id = $1 and ${IS_LEASED}) as under_way`,
      [channelId, perSecond, timeZone],
    );
    return { ...turn!, daySentMinor: BigInt(turn!.daySentMinor) };
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

  /** The channel has said that it has not taken the payment. Only the day of the call has counted it. */
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

  /**
   * The channel is alive. Payouts that it was asked for in the meantime need not wait: the trouble of those
   * users was the channel's. Those that it did not know wait a second, because the two answers must not arrive
   * together.
   */
  async recovered(tx: EntityManager, channelId: string): Promise<void> {
    await tx.query(
      `update payout set due_at = least(due_at, now() + make_interval(secs => least(not_found, 1)))
        where id in (select id from payout
                      where channel_id = $1 and user_id in (${IN_TROUBLE}) and ended_at is null and state <> 'review'
                        and due_at > now()
                      limit ${RECOVERED_MAX} for update skip locked)`,
      [channelId],
    );
    await tx.query(
      `update payout_pace set open_until = null, failures = ${USERS_MAX} where channel_id = $1`,
      [channelId],
    );
  }

  /**
   * Opens the circuit after failures of too many users in a row, or at once. The first call that tests
   * whether the channel is alive follows immediately, later ones after growing waits.
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
   * slowed down once, however many of the calls under way get this answer.
   * @param at when the call was made; if the pace has been slowed down since, it does not count
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
