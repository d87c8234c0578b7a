import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, type EntityManager, IsNull, LessThan, MoreThan, Raw, Repository } from 'typeorm';
import { CURRENCY_BIT, type KnownCurrency } from '../../../core/currency';
import { SecondPerson } from '../../../core/second-person';
import type { Caller } from '../../../platform/http';
import { given, isWithin, presentByBoth } from '../../../platform/postgres';
import { PayoutEventRow, PayoutRow } from './payout.entity';
import type { RecordedCall } from './lost-calls';
import { ownPayout, payoutNotFound, payoutNotOpen } from './payout.error';
import { hasEnded, type PayoutState } from './payout-state';

/** The payouts that count towards a user's limits. */
export interface TakenOut {
  /** Payouts of a currency that have not ended, in all channels. */
  readonly open: number;
  /** Payouts of a day in a channel, and the sum of those that were not refused. */
  readonly payouts: number;
  readonly amountMinor: bigint;
}

export interface PayoutFilter {
  readonly state?: PayoutState;
  readonly userId?: string;
  readonly channelId?: string;
}

/** A step that the payout's user is to be notified of. */
export interface PayoutNewsRow {
  readonly eventId: string;
  readonly state: 'paid' | 'refused' | 'needs-user' | 'returned';
  readonly at: Date;
  readonly action: string | null;
  readonly code: string | null;
  readonly payoutId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly walletAccountId: string;
  readonly amountMinor: string;
}

interface ReadPayout extends Pick<RecordedCall, 'id' | 'createdAt' | 'at'> {
  /** Nobody has read it before. */
  readonly isFirst: boolean;
}

@Injectable()
export class PayoutRepository {
  constructor(
    @InjectRepository(PayoutRow) private readonly rows: Repository<PayoutRow>,
    @InjectRepository(PayoutEventRow) private readonly events: Repository<PayoutEventRow>,
    private readonly secondPerson: SecondPerson,
  ) {}

  findPayout(id: string, tx: EntityManager = this.rows.manager): Promise<PayoutRow | null> {
    return tx.findOneBy(PayoutRow, { id });
  }

  lock(tx: EntityManager, id: string): Promise<PayoutRow | null> {
    return tx.findOne(PayoutRow, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Locks a payout that staff may decide on: it is on its way, not being sent, and not their own.
   * @throws payoutNotFound, payoutNotOpen, ownPayout
   */
  async lockOpen(tx: EntityManager, { userId }: Caller, id: string): Promise<PayoutRow> {
    const payout = await this.lock(tx, id);
    if (!payout) throw payoutNotFound(`There is no payout ${id}.`);
    if (payout.userId === userId) throw ownPayout(`Payout ${id} is your own.`);
    const { state } = payout;
    if (state === 'review' || state === 'sending' || hasEnded(state))
      throw payoutNotOpen(`Payout ${id} is ${state}.`);
    return payout;
  }

  /**
   * Makes a locked payout due now. One that was not found is due a second later, however long it would wait,
   * because the two answers must not arrive together.
   */
  async makeDue(tx: EntityManager, id: string): Promise<void> {
    await tx.query(
      `update payout set due_at = least(due_at, now() + make_interval(secs => least(not_found, 1))) where id = $1`,
      [id],
    );
  }

  /**
   * Notes that the channel reads these payouts, at most once a second: a payment may follow each
   * reading. The first one counts as a call. Returns those that have not ended.
   */
  noteRead(tx: EntityManager, ids: readonly string[]): Promise<ReadPayout[]> {
    return tx.query(
      `with shown as (
         select id, created_at, calls, last_sent_at from payout
          where id = any($1) and ended_at is null order by id for no key update
       ), noted as (
         update payout
            set calls = greatest(shown.calls, 1), currency_calls = greatest(shown.calls, 1), last_sent_at = now()
           from shown
          where payout.id = shown.id and (shown.calls = 0 or not ${isWithin('shown.last_sent_at', 1)})
       )
       select id, created_at as "createdAt", now() as at, calls = 0 as "isFirst" from shown`,
      [ids],
    );
  }

  /** Returns the newest first, older than `beforeId`. */
  list(filter: PayoutFilter, beforeId: string | undefined, limit: number): Promise<PayoutRow[]> {
    const endedAt = filter.state && !hasEnded(filter.state) ? IsNull() : undefined;
    const where = given({ ...filter, endedAt, id: beforeId && LessThan(beforeId) });
    return this.rows.find({ where, order: { id: 'desc' }, take: limit });
  }

  /**
   * Returns the oldest first, after `afterId`, without payouts of frozen wallets, without those that a second
   * person may end, or may be ending at the last moment, and without those whose id the channel knows from
   * another payout.
   */
  waiting(channelId: string, afterId: string | undefined, limit: number): Promise<PayoutRow[]> {
    const isActive = (accountId: string) =>
      `exists (select from account where id = ${accountId} and status = 'active')`;
    const isDecided = (id: string) =>
      `not exists (select from (${this.secondPerson.undecidedDeeds}) as deed
                    where source_id = ${id} and action = 'payout.resolve'
                      and expires_at > now() - interval '1 minute')`;
    const id = afterId === undefined ? Raw(isDecided) : And(MoreThan(afterId), Raw(isDecided));
    const where = { id, walletAccountId: Raw(isActive) };
    return this.rows.find({
      where: { ...where, channelId, endedAt: IsNull(), state: 'reserved', attempt: 1 },
      order: { id: 'asc' },
      take: limit,
    });
  }

  /** Names the payment of a payout that had no name. */
  async name(tx: EntityManager, id: string, externalId: string): Promise<void> {
    await tx.update(PayoutRow, { id }, { externalId });
  }

  async instruct(tx: EntityManager, id: string, action: string): Promise<void> {
    await tx.update(PayoutRow, { id }, { action });
  }

  /**
   * Adds a report that changes no state to the story of a locked payout.
   * @returns false when the story has it already
   */
  async tell(tx: EntityManager, { id, state }: PayoutRow, facts: object, by: object): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `insert into payout_event (payout_id, state, detail)
       select $1, $2, $3::jsonb || $4::jsonb
        where not exists (select from payout_event where payout_id = $1 and state = $2 and detail @> $3::jsonb)
       returning id`,
      [id, state, JSON.stringify(facts), JSON.stringify(by)],
    );
    return rows.length === 1;
  }

  /** Returns the oldest step first. */
  story(payoutId: string): Promise<PayoutEventRow[]> {
    return this.events.find({ where: { payoutId }, order: { id: 'asc' } });
  }

  /** Returns the oldest first, and none that another transaction has taken. */
  takeNews(tx: EntityManager, limit: number): Promise<PayoutNewsRow[]> {
    return tx.query<PayoutNewsRow[]>(
      `with taken as (
         delete from payout_news
          where payout_event_id in (
            select payout_event_id from payout_news order by 1 limit $1 for update skip locked)
         returning payout_event_id
       )
       select event.id as "eventId", event.state, event.at, event.detail->>'action' as action,
              case event.state when 'refused' then code end as code, payout.id as "payoutId",
              channel_id as "channelId", user_id as "userId", wallet_account_id as "walletAccountId",
              amount_minor as "amountMinor"
         from taken
         join payout_event event on event.id = payout_event_id
         join payout on payout.id = payout_id
        order by event.id`,
      [limit],
    );
  }

  /**
   * What users have taken out. While their wallets in this currency, which is that of the channel, are locked, it
   * cannot rise.
   */
  async takenOut(
    tx: EntityManager,
    channelId: string,
    { number }: KnownCurrency,
    day: string,
    userIds: readonly string[],
  ): Promise<Map<string, TakenOut>> {
    const rows = await tx.query<(Omit<TakenOut, 'amountMinor'> & { userId: string; amountMinor: string })[]>(
      `select asker.user_id as "userId", coalesce(payouts, 0) as payouts, coalesce(amount_minor, 0) as "amountMinor",
              (select count(*)::int from payout
                where user_id = asker.user_id and ended_at is null and wallet_account_id >> ${CURRENCY_BIT} = $4) as open
         from unnest($3::text[]) as asker (user_id)
         left join payout_day on channel_id = $1 and day = $2 and payout_day.user_id = asker.user_id`,
      [channelId, day, userIds, number],
    );
    return new Map(
      rows.map(({ userId, amountMinor, ...row }) => [userId, { ...row, amountMinor: BigInt(amountMinor) }]),
    );
  }

  /**
   * Returns payouts that nobody can approve any more, the oldest first: all of them, where there is no second
   * person.
   * @param redisSeconds the time by the clock of Redis, in seconds since 1970
   */
  async reviewExpired(redisSeconds: number, limit: number): Promise<string[]> {
    const rows = await this.rows.query<{ id: string }[]>(
      `select id
         from payout
        where state = 'review'
          and not exists (select from (${this.secondPerson.undecidedDeeds}) as deed
                           where action = 'payout.reserve' and source_id = payout.id
                             and expires_at > ${presentByBoth('$2')})
        order by 1 limit $1`,
      [limit, redisSeconds],
    );
    return rows.map(({ id }) => id);
  }
}
