import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Currencies } from '../../../core/currency';
import type { ChannelRow } from '../channel/channel.entity';
import { paceOf } from '../channel/channel-pace';
import { dayMaxMinor } from '../book/allowance';
import { CallRecords } from '../book/call-records';
import { LostCalls } from '../book/lost-calls';
import { LEASE_MARGIN_SECONDS } from '../channel/waits';
import { type Call, type Due, DueRepository, type PlannedCall } from './due.repository';
import { PaceRepository, type Turn } from './pace.repository';

const AT_ONCE_MAX = 200;

/** How often the channel has to say that it does not know a payment before it is asked for again. */
const NOT_FOUND_MIN = 2;

/** The part of the calls that users in trouble may have. */
const TROUBLE_SHARE = 1 / 4;

/** Decides which payouts are called for now, and puts that on record before anyone calls. */
@Injectable()
export class DueCalls {
  constructor(
    private readonly due: DueRepository,
    private readonly paces: PaceRepository,
    private readonly records: CallRecords,
    private readonly lostCalls: LostCalls,
    private readonly currencies: Currencies,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * After this, a crash leaves payments that are `sending`: it is not known whether they were made.
   * Takes nothing for a URL that is a former one by now, or while Redis remembers payments that
   * Postgres has lost.
   */
  async take(channel: ChannelRow): Promise<Call[]> {
    const calls = await this.record(channel);
    const payment = calls.find(isPayment);
    const isKept = !payment || (await this.lostCalls.note({ ...payment, channelId: channel.id }));
    return isKept ? calls : [];
  }

  private record(channel: ChannelRow): Promise<Call[]> {
    const { id, profile } = channel;
    const pace = paceOf(profile);
    const leaseSeconds = pace.timeoutMs / 1_000 + LEASE_MARGIN_SECONDS;
    return this.dataSource.transaction(async (tx) => {
      const turn = await this.paces.takeTurn(tx, id, pace.perSecond, profile.timeZone);
      if (!turn || turn.isHeld || turn.circuit === 'open' || turn.url !== channel.url) return [];
      const isProbe = turn.circuit === 'probe';
      const room = Math.min(Math.floor(turn.tokens), pace.inFlight - turn.leased, AT_ONCE_MAX);
      const limit = isInDoubt(turn) ? Math.min(room, 1) : room;
      if (limit <= 0) return [];
      const calls = await this.choose(tx, channel, turn, limit);
      if (calls.length === 0) return [];
      if ((await this.lostCalls.find(tx, id)) && calls.some(isPayment)) return [];
      const sentMinor = sumOf(calls);
      const recorded = await this.records.record(tx, calls, leaseSeconds);
      await this.paces.spend(tx, id, calls.length, sentMinor, isProbe ? leaseSeconds : undefined);
      return calls.map((call) => ({ ...call, ...recorded.get(call.id)! }));
    });
  }

  /**
   * Users in trouble come after all others, and have a quarter of the calls at most, so that what goes wrong
   * for a few costs the others little.
   */
  private async choose(
    tx: EntityManager,
    channel: ChannelRow,
    turn: Turn,
    limit: number,
  ): Promise<PlannedCall[]> {
    const calls = await this.fill(tx, channel, turn, limit, false);
    if (!turn.hasTrouble) return calls;
    const share = isInDoubt(turn) ? 0 : Math.floor(limit * TROUBLE_SHARE + Math.random());
    const most = Math.max(1, Math.floor(paceOf(channel.profile).inFlight * TROUBLE_SHARE));
    const room = Math.min(most - turn.leasedInTrouble, Math.max(limit - calls.length, share));
    if (room <= 0) return calls;
    const daySentMinor = turn.daySentMinor + sumOf(calls);
    const troubled = await this.fill(tx, channel, { ...turn, daySentMinor }, room, true);
    return [...calls.slice(0, limit - troubled.length), ...troubled];
  }

  /**
   * Chooses payouts that were sent before, and first payments. Each kind has half of the room, and what the
   * other leaves: neither a long queue nor a channel that never answers keeps the other waiting. An odd place
   * goes to either at random, so that both get their turn at a channel that takes one call at a time.
   */
  private async fill(
    tx: EntityManager,
    { id, profile, outboundAccountId }: ChannelRow,
    turn: Turn,
    limit: number,
    inTrouble: boolean,
  ): Promise<PlannedCall[]> {
    const pace = paceOf(profile);
    const paysNothing = turn.isPaused || turn.isDoubted || turn.paymentsAreHeld;
    const isProbe = turn.circuit === 'probe';
    const currency = await this.currencies.ofAccount(outboundAccountId);
    const perDay = dayMaxMinor(profile.perDay, currency);
    const wanted = { paysNothing, inTrouble, newestFirst: isInDoubt(turn) };
    const sent = await this.due.findDue(tx, id, limit, pace, { ...wanted, wasSent: true });
    const unsent = paysNothing
      ? []
      : await this.due.findDue(tx, id, limit, pace, { ...wanted, wasSent: false, mostMinor: perDay });
    const first = fitting(unsent, perDay - turn.daySentMinor);
    const half = Math.floor(limit / 2 + Math.random());
    const again = sent.slice(0, Math.max(half, limit - first.length));
    const called = new Set(again.map(({ userId }) => userId));
    const others = first.filter(({ userId }) => !called.has(userId));
    return [...again, ...others.slice(0, limit - again.length)].map((one) => ({
      ...one,
      isProbe,
      method: !isProbe && isPaymentDue(one) ? 'PUT' : 'GET',
    }));
  }
}

/** The next answers will decide whether the channel is called. */
const isInDoubt = ({ circuit }: Turn): boolean => circuit !== 'closed';

/** Payments wait for the next day once the first one does not fit into this one. */
function fitting(unsent: readonly Due[], roomMinor: bigint): readonly Due[] {
  let sumMinor = 0n;
  const end = unsent.findIndex(({ amountMinor }) => (sumMinor += amountMinor) > roomMinor);
  return end < 0 ? unsent : unsent.slice(0, end);
}

const isPayment = ({ method }: PlannedCall): boolean => method === 'PUT';

/** The sum of the calls that were not sent before. */
const sumOf = (calls: readonly PlannedCall[]): bigint =>
  calls.reduce((sum, call) => (isPayment(call) && call.isNew ? sum + call.amountMinor : sum), 0n);

/** A payment is asked for a second time only after the channel has said twice that it does not know it. */
function isPaymentDue({ state, mayPay, isKeyAlive, isQuarantineOver, notFound }: Due): boolean {
  if (!mayPay || !isKeyAlive) return false;
  return state === 'reserved' || (state === 'unknown' && isQuarantineOver && notFound >= NOT_FOUND_MIN);
}
