import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, type EntityManager, IsNull, LessThan, MoreThan, Raw, Repository } from 'typeorm';
import type { Caller } from '../../../platform/http';
import { given, isWithin } from '../../../platform/postgres';
import { PayoutEventRow, PayoutRow } from './payout.entity';
import type { RecordedCall } from './lost-calls';
import { ownPayout, payoutNotFound, payoutNotOpen } from '../channel/payout.error';
import { hasEnded, mayFollow, PAYOUT_STATES, type PayoutState } from './payout-state';

/** A payout of a wallet that is locked. */
export interface NewPayout {
  readonly channelId: string;
  readonly userId: string;
  readonly walletAccountId: string;
  readonly amountMinor: bigint;
  readonly day: string;
  /** Of a rain: how many wins it gathers. */
  readonly claims?: number;
}

/** What a user has taken out, or is taking out. */
export interface TakenOut {
  /** Payouts that have not ended, in all channels. */
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

export interface PayoutChange {
  readonly state: PayoutState;
  readonly externalId?: string;
  readonly code?: string;
  readonly action?: string;
}

/** A channel's plain answer to a call: it has paid. */
export interface Payment {
  readonly id: string;
  readonly call: number;
  readonly createdAt: Date;
  readonly externalId?: string;
}

const AS_NEW = {
  attempt: 1,
  calls: 0,
  lastSentAt: null,
  externalId: null,
  code: null,
  action: null,
  endedAt: null,
} as const;

const PAYABLE_STATES = PAYOUT_STATES.filter((state) => mayFollow(state, 'paid'));

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
  ) {}

  /**
   * Writes payouts, and counts them towards the day of their users. No money has moved yet.
   * @returns the rows, in the same order
   */
  async insert(
    tx: EntityManager,
    payouts: readonly (NewPayout & { readonly state: 'reserved' | 'review' })[],
  ): Promise<PayoutRow[]> {
    const rows = await tx.query<{ id: string; createdAt: Date }[]>(
      `with planned as materialized (
         select nextval(pg_get_serial_sequence('payout', 'id')) as id, wish.*
           from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::date[], $6::text[], $7::integer[])
                  with ordinality as wish (channel_id, user_id, wallet_account_id, amount_minor, day, state, claims, no)
       ), written as (
         insert into payout (id, channel_id, user_id, wallet_account_id, amount_minor, day, state, claims)
                overriding system value
         select id, channel_id, user_id, wallet_account_id, amount_minor, day, state, claims from planned
       ), told as (
         insert into payout_event (payout_id, state, detail)
         select id, state, jsonb_strip_nulls(jsonb_build_object('claims', claims)) from planned where state = 'reserved'
       ), counted as (
         insert into payout_day as counted (channel_id, user_id, day, payouts, amount_minor)
         select channel_id, user_id, day, count(*), sum(amount_minor) from planned group by 1, 2, 3 order by 1, 2
         on conflict on constraint payout_day_pkey
         do update set payouts = counted.payouts + excluded.payouts, amount_minor = counted.amount_minor + excluded.amount_minor
       )
       select id, now() as "createdAt" from planned order by no`,
      [
        ...[payouts.map(({ channelId }) => channelId), payouts.map(({ userId }) => userId)],
        ...[payouts.map(({ walletAccountId }) => walletAccountId), payouts.map((one) => one.amountMinor)],
        ...[payouts.map(({ day }) => day), payouts.map(({ state }) => state)],
        payouts.map(({ claims }) => claims ?? null),
      ],
    );
    return payouts.map((payout, i) => ({ ...AS_NEW, claims: null, ...payout, ...rows[i]! }));
  }

  findPayout(id: string): Promise<PayoutRow | null> {
    return this.rows.findOneBy({ id });
  }

  lock(tx: EntityManager, id: string): Promise<PayoutRow | null> {
    return tx.findOne(PayoutRow, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Locks a payout that staff may decide about: it is on its way, not being sent, and not their own.
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
   * Makes it the turn of a locked payout. One that was not found is asked for a second time within
   * seconds anyway, and the two answers must not come at once.
   */
  async makeDue(tx: EntityManager, id: string): Promise<void> {
    await tx.query(`update payout set due_at = least(due_at, now()) where id = $1 and not_found = 0`, [id]);
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
         update payout set calls = greatest(shown.calls, 1), last_sent_at = now() from shown
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
   * Returns the oldest first, after `afterId`, without payouts of frozen wallets, and without those
   * that a second person may call refused, or is calling at the end of their time, or whose id the channel knows of another one.
   */
  waiting(channelId: string, afterId: string | undefined, limit: number): Promise<PayoutRow[]> {
    const isActive = (accountId: string) =>
      `exists (select from account where id = ${accountId} and status = 'active')`;
    const isDecided = (id: string) =>
      `not exists (select from approval
                    where action = 'payout.resolve' and source_id = ${id} and status = 'pending'
                      and expires_at > now() - interval '1 minute')`;
    const id = afterId === undefined ? Raw(isDecided) : And(MoreThan(afterId), Raw(isDecided));
    const where = { id, walletAccountId: Raw(isActive) };
    return this.rows.find({
      where: { ...where, channelId, endedAt: IsNull(), state: 'reserved', attempt: 1 },
      order: { id: 'asc' },
      take: limit,
    });
  }

  /** Adds the step to the story of a locked payout. */
  async change(
    tx: EntityManager,
    payout: PayoutRow,
    change: PayoutChange,
    detail: object,
  ): Promise<PayoutRow> {
    const { state, ...facts } = change;
    const [changed] = await tx.query<PayoutRow[]>(
      `with changed as (
         update payout
            set state = $2, external_id = coalesce($3, external_id), code = coalesce($4, code),
                action = case when $2 = 'needs-user' then $5 end,
                ended_at = case when $2 in ('paid', 'refused', 'returned') then now() end,
                leased_until = case when $2 not in ('paid', 'refused', 'returned') then leased_until end
          where id = $1
         returning external_id as "externalId", code, action, ended_at as "endedAt"
       ), told as (
         insert into payout_event (payout_id, state, detail) values ($1, $2, $6) returning id
       ), news as (
         insert into payout_news select id from told where $2 in ('paid', 'refused', 'needs-user', 'returned')
       )
       select * from changed`,
      [
        payout.id,
        state,
        facts.externalId ?? null,
        facts.code ?? null,
        facts.action ?? null,
        JSON.stringify(detail),
      ],
    );
    return { ...payout, ...changed!, state };
  }

  /** Ends payouts as paid that nobody else holds. Returns what their transfers need. */
  async endPaid(
    tx: EntityManager,
    payments: readonly Payment[],
  ): Promise<{ sourceId: string; channelId: string; debitAccountId: string; amountMinor: bigint }[]> {
    const rows = await tx.query<
      { sourceId: string; channelId: string; debitAccountId: string; amountMinor: string }[]
    >(
      `with free as (
         select payout.id, call, payment.external_id as name
           from payout
           join unnest($1::bigint[], $2::integer[], $3::text[], $5::timestamptz[])
             as payment (id, call, external_id, created_at) using (id)
          where calls = call and date_trunc('milliseconds', payout.created_at) = payment.created_at and state = any($4)
            and (payout.external_id is null or payment.external_id is null or payout.external_id = payment.external_id)
            for no key update of payout skip locked
       ), changed as (
         update payout
            set state = 'paid', external_id = coalesce(name, external_id), action = null, ended_at = now(), leased_until = null
           from free where payout.id = free.id
         returning payout.id, channel_id, amount_minor, call, name
       ), told as (
         insert into payout_event (payout_id, state, detail)
         select id, 'paid', jsonb_strip_nulls(jsonb_build_object('externalId', name, 'call', call)) from changed returning id
       ), news as (
         insert into payout_news select id from told
       )
       select changed.id as "sourceId", channel_id as "channelId", outbound_account_id as "debitAccountId",
              amount_minor as "amountMinor"
         from changed join payout_channel on payout_channel.id = channel_id`,
      [
        ...[payments.map(({ id }) => id), payments.map(({ call }) => call)],
        ...[payments.map(({ externalId }) => externalId ?? null), PAYABLE_STATES],
        payments.map(({ createdAt }) => createdAt),
      ],
    );
    return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
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
              channel_id as "channelId", user_id as "userId", amount_minor as "amountMinor"
         from taken
         join payout_event event on event.id = payout_event_id
         join payout on payout.id = payout_id
        order by event.id`,
      [limit],
    );
  }

  /** What users have taken out. While their wallets are locked, it cannot rise. */
  async takenOut(
    tx: EntityManager,
    channelId: string,
    day: string,
    userIds: readonly string[],
  ): Promise<Map<string, TakenOut>> {
    const rows = await tx.query<(Omit<TakenOut, 'amountMinor'> & { userId: string; amountMinor: string })[]>(
      `select asker.user_id as "userId", coalesce(payouts, 0) as payouts, coalesce(amount_minor, 0) as "amountMinor",
              (select count(*)::int from payout where user_id = asker.user_id and ended_at is null) as open
         from unnest($3::text[]) as asker (user_id)
         left join payout_day on channel_id = $1 and day = $2 and payout_day.user_id = asker.user_id`,
      [channelId, day, userIds],
    );
    return new Map(
      rows.map(({ userId, amountMinor, ...row }) => [userId, { ...row, amountMinor: BigInt(amountMinor) }]),
    );
  }

  async giveDayBack(tx: EntityManager, { channelId, userId, day, amountMinor }: PayoutRow): Promise<void> {
    await tx.query(
      `update payout_day set amount_minor = amount_minor - $4
        where channel_id = $1 and user_id = $2 and day = $3`,
      [channelId, userId, day, amountMinor],
    );
  }

  /** @param redisSeconds the time by the clock of Redis, in seconds since 1970 */
  async reviewExpired(redisSeconds: number, limit: number): Promise<string[]> {
    const rows = await this.rows.query<{ id: string }[]>(
      `select payout.id
         from payout
         join approval on approval.action = 'payout.reserve' and source_id = payout.id
        where state = 'review' and payout.ended_at is null and status = 'pending'
          and expires_at <= least(now(), to_timestamp($2))
        order by 1 limit $1`,
      [limit, redisSeconds],
    );
    return rows.map(({ id }) => id);
  }
}
