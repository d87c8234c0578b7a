import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CLOCK_MARGIN } from '../channel/waits';
import type { CallMoment, NewCall, NewPayout, Payment, PayoutChange } from './entries';
import type { PayoutRow } from './payout.entity';
import { requireMayFollow, statesBefore } from './payout-state';

const AS_NEW = {
  attempt: 1,
  calls: 0,
  lastSentAt: null,
  externalId: null,
  code: null,
  action: null,
  endedAt: null,
} as const;

/**
 * All statements that set the state of a payout. Each sets it only where NEXT_STATES allows it. They move no
 * money, so only this room uses them.
 */
@Injectable()
export class StateRepository {
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

  /**
   * Records calls for as long as they may take. A payout that a worker has left in `sending` is `unknown`
   * from now on. A payout that was last sent by a clock that was ahead may have been sent just now, and the
   * age of its key can never be known again.
   * @returns the number and the moment of each payout's call
   */
  async recordCalls(
    tx: EntityManager,
    calls: readonly NewCall[],
    leaseSeconds: number,
  ): Promise<Map<string, CallMoment>> {
    for (const { method, ...call } of calls)
      if (method === 'PUT') requireMayFollow(call, 'sending');
      else if (call.state === 'sending') requireMayFollow(call, 'unknown');
    const puts = calls.filter(({ method }) => method === 'PUT').map(({ id }) => id);
    const gets = calls.filter(({ method }) => method === 'GET').map(({ id }) => id);
    const rows = await tx.query<{ id: string; calls: number; at: Date }[]>(
      `with recorded as (
         update payout
            set leased_until = now() + make_interval(secs => $3), calls = calls + 1, currency_calls = calls + 1,
                state = case when id = any($1) then 'sending' when state = 'sending' then 'unknown' else state end,
                first_sent_at = case when id = any($1) then coalesce(first_sent_at, now())
                                     when first_sent_at >= now() + ${CLOCK_MARGIN} then '-infinity' else first_sent_at end,
                last_sent_at = case when id = any($1) or last_sent_at > now() then now() else last_sent_at end,
                not_found = case when id = any($1) then 0 else not_found end
          where id = any($1) or id = any($2)
         returning id, calls, attempt
       ), told as (
         insert into payout_event (payout_id, state, detail)
         select id, 'sending', jsonb_build_object('payoutId', id || 'a' || attempt, 'call', calls)
           from recorded where id = any($1)
         union all
         select payout.id, 'unknown', '{"reason":"its worker was lost"}'
           from payout where payout.id = any($2) and payout.state = 'sending'
       )
       select id, calls, now() as at from recorded`,
      [puts, gets, leaseSeconds],
    );
    return new Map(rows.map(({ id, calls: no, at }) => [id, { no, at }]));
  }

  /** Adds the step to the story of a locked payout. */
  async change(
    tx: EntityManager,
    payout: PayoutRow,
    change: PayoutChange,
    detail: object,
  ): Promise<PayoutRow> {
    const { state, ...facts } = change;
    requireMayFollow(payout, state);
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
        ...[payments.map(({ externalId }) => externalId ?? null), statesBefore('paid')],
        payments.map(({ createdAt }) => createdAt),
      ],
    );
    return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
  }

  async giveDayBack(tx: EntityManager, { channelId, userId, day, amountMinor }: PayoutRow): Promise<void> {
    await tx.query(
      `update payout_day set amount_minor = amount_minor - $4
        where channel_id = $1 and user_id = $2 and day = $3`,
      [channelId, userId, day, amountMinor],
    );
  }
}
