import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, Repository } from 'typeorm';
import { daySum, isToCome } from '../../../platform/postgres';
import { type ChannelProfile, ChannelRow } from './channel.entity';
import { isHeldByFinding } from './finding.repository';
import { CIRCUIT_SECONDS_MAX, DUE_SECONDS_MAX, HELD_SECONDS_MAX } from './waits';

export interface ChannelFacts {
  readonly name: string;
  readonly profile: ChannelProfile;
  readonly isPaused: boolean;
  readonly url: string | null;
}

/** SQL: the sum that was sent to channel $1 today, by the clocks of time zone $2. */
const SENT_TODAY = `coalesce((select ${daySum('today', 'day_minor').counted}
                          from payout_pace, (select (now() at time zone $2)::date as today) as clock
                         where channel_id = $1), 0)`;

@Injectable()
export class ChannelRepository {
  constructor(@InjectRepository(ChannelRow) private readonly rows: Repository<ChannelRow>) {}

  /** No other transaction can add a channel before this one ends. */
  async lockCount(tx: EntityManager): Promise<number> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('payout-channels', 0))`);
    return tx.count(ChannelRow);
  }

  /** A channel's account is named after its id. */
  async nextId(tx: EntityManager): Promise<string> {
    const [row] = await tx.query<{ id: string }[]>(
      `select nextval(pg_get_serial_sequence('payout_channel', 'id')) as id`,
    );
    return row!.id;
  }

  async insert(
    tx: EntityManager,
    channel: ChannelFacts & Pick<ChannelRow, 'id' | 'outboundAccountId' | 'secret'>,
  ): Promise<ChannelRow> {
    const { id, name, profile, isPaused, url, secret, outboundAccountId } = channel;
    await tx.query(
      `insert into payout_channel (id, name, profile, is_paused, url, secret, outbound_account_id) overriding system value
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [id, name, JSON.stringify(profile), isPaused, url, secret, outboundAccountId],
    );
    return (await this.findChannel(id, tx))!;
  }

  /** Returns a day such as `2031-02-03`. */
  async today(tx: EntityManager, timeZone: string): Promise<string> {
    const [row] = await tx.query<{ day: string }[]>(`select (now() at time zone $1)::date::text as day`, [
      timeZone,
    ]);
    return row!.day;
  }

  /**
   * Returns the number and sum of the payouts and unsent credits that wait in a channel, up to a million,
   * and the sum that was sent today.
   */
  async backlog(
    tx: EntityManager,
    id: string,
    timeZone: string,
  ): Promise<{ payouts: number; minor: bigint; sentMinor: bigint }> {
    const [row] = await tx.query<{ payouts: number; minor: string; sentMinor: string }[]>(
      `select count(*)::int as payouts, coalesce(sum(amount_minor), 0) as minor,
              ${SENT_TODAY} as "sentMinor"
         from (select amount_minor from payout where channel_id = $1 and ended_at is null and state <> 'review'
               union all
               select amount_minor from payout_credit
                where channel_id = $1 and payout_id is null and released_at is null
               limit 1000000) as waiting`,
      [id, timeZone],
    );
    const { payouts, minor, sentMinor } = row!;
    return { payouts, minor: BigInt(minor), sentMinor: BigInt(sentMinor) };
  }

  /** Returns the sum that was sent today. */
  async sentToday(tx: EntityManager, id: string, timeZone: string): Promise<bigint> {
    const [row] = await tx.query<{ sentMinor: string }[]>(`select ${SENT_TODAY} as "sentMinor"`, [
      id,
      timeZone,
    ]);
    return BigInt(row!.sentMinor);
  }

  /**
   * Returns the instant some seconds from now, or after the midnight that is this many nights away; and how
   * far ahead it is.
   */
  async instant(
    tx: EntityManager,
    timeZone: string,
    nights: number,
    seconds: number,
  ): Promise<{ readonly at: Date; readonly inSeconds: number }> {
    const [row] = await tx.query<{ at: Date; inSeconds: number }[]>(
      `select at, extract(epoch from at - now())::float8 as "inSeconds"
         from (select case when $2 = 0 then now() else ((now() at time zone $1)::date + $2::int)::timestamp at time zone $1 end
                    + make_interval(secs => $3) as at) as ending`,
      [timeZone, nights, seconds],
    );
    return row!;
  }

  /** There are never many. */
  list(): Promise<ChannelRow[]> {
    return this.rows.find({ order: { id: 'desc' } });
  }

  /**
   * Channels that are called, even paused ones, because they are asked about what was sent. Most have nothing
   * due, and giving them a turn would write for nothing. Payouts that are due further ahead than any can be
   * count as due.
   */
  called(): Promise<{ id: string; isDue: boolean }[]> {
    return this.rows.query(
      `select id, exists (
                select from payout
                 where channel_id = channel.id and ended_at is null and state <> 'review'
                   and (due_at <= now() or due_at > now() + make_interval(secs => $1))) as "isDue"
         from payout_channel as channel
        where url is not null and deleted_at is null`,
      [DUE_SECONDS_MAX],
    );
  }

  findChannel(id: string, tx: EntityManager = this.rows.manager): Promise<ChannelRow | null> {
    return tx.findOneBy(ChannelRow, { id });
  }

  /**
   * Locks the channel to use, change or delete it. Only a deletion waits for uses: in a crowd one is always
   * under way, and a change would never get its turn.
   */
  lock(
    tx: EntityManager,
    id: string,
    mode: 'for_key_share' | 'for_no_key_update' | 'pessimistic_write',
  ): Promise<ChannelRow | null> {
    return tx.findOne(ChannelRow, { where: { id }, lock: { mode } });
  }

  /** A deleted channel keeps its account. */
  async outboundAccount(id: string, tx: EntityManager): Promise<string> {
    const row = await tx.findOneOrFail(ChannelRow, { where: { id }, withDeleted: true });
    return row.outboundAccountId;
  }

  /** True while a payout has not ended, or an activity that pays out through it. */
  async isInUse(tx: EntityManager, id: string): Promise<boolean> {
    const [row] = await tx.query<{ used: boolean }[]>(
      `select exists (select from payout where channel_id = $1 and ended_at is null)
              or exists (select from activity where payout_channel_id = $1 and status = 'active') as used`,
      [id],
    );
    return row!.used;
  }

  /** True while a payout that was sent has not ended. Nothing more is sent before the transaction ends. */
  async hasSent(tx: EntityManager, id: string): Promise<boolean> {
    await tx.query(`insert into payout_pace (channel_id) values ($1) on conflict do nothing`, [id]);
    await tx.query(`select from payout_pace where channel_id = $1 for update`, [id]);
    const [row] = await tx.query<{ sent: boolean }[]>(
      `select exists (select from payout
                       where channel_id = $1 and ended_at is null and first_sent_at is not null) as sent`,
      [id],
    );
    return row!.sent;
  }

  async update(tx: EntityManager, id: string, facts: ChannelFacts): Promise<void> {
    await tx.update(ChannelRow, { id }, facts);
  }

  /**
   * Forgets what the channel has asked for, and how often it has failed: it may be called at once, for
   * all payouts that nobody else holds. These are locked before the pace, as answers lock them.
   */
  async resume(tx: EntityManager, id: string): Promise<void> {
    await tx.query(
      `update payout set due_at = now()
        where id in (select id from payout
                      where channel_id = $1 and ended_at is null and state <> 'review' and due_at > now()
                        for update skip locked)`,
      [id],
    );
    await tx.query(
      `update payout_pace
          set held_until = now(), payments_held_until = '-infinity', failures = 0, openings = 0, open_until = null,
              refusals = 0
        where channel_id = $1`,
      [id],
    );
  }

  /**
   * Returns why a channel is not called now, if it is not. It is asked about what was sent even while it is
   * paused, or may not pay.
   */
  async holdOf(tx: EntityManager, id: string, wasSent: boolean): Promise<string | undefined> {
    const [row] = await tx.query<{ why: string | null }[]>(
      `select case when ${isToCome('held_until', HELD_SECONDS_MAX)} then 'it has asked to be left alone'
                   when ${isToCome('open_until', CIRCUIT_SECONDS_MAX)} then 'its last calls have failed'
                   when $2 then null
                   when is_paused then 'it is paused'
                   when ${isHeldByFinding('$1')} then 'a finding leaves open what it has paid'
                   when ${isToCome('payments_held_until', HELD_SECONDS_MAX)} then 'it takes no payments' end as why
         from payout_channel left join payout_pace on channel_id = id where id = $1`,
      [id, wasSent],
    );
    return row?.why ?? undefined;
  }

  /** The former secret signs as well for a while; the one before it no longer does. */
  async rotate(tx: EntityManager, id: string, secret: string, overlapSeconds: number): Promise<void> {
    await tx.query(
      `update payout_channel
          set former_secret = secret, secret = $2, former_secret_until = now() + make_interval(secs => $3)
        where id = $1`,
      [id, secret, overlapSeconds],
    );
  }

  async markDeleted(tx: EntityManager, id: string): Promise<void> {
    const forgotten = { secret: null, formerSecret: null, formerSecretUntil: null };
    await tx.update(ChannelRow, { id, deletedAt: IsNull() }, { ...forgotten, deletedAt: () => 'now()' });
  }
}
