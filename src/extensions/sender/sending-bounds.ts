import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Limits } from '../../../libs/money';
import { type FieldFault, must } from '../../../libs/problem';
import { isStaff } from '../../../libs/roles';
import { packetBounds, type SplitTerms } from '../../../libs/split';
import { Currencies } from '../../core/currency';
import {
  type AddedPackets,
  type AnySplitBody,
  type Bounds,
  type PlainTotal,
  SponsorBounds,
} from '../../core/lifecycle';
import { AppConfig } from '../../platform/config';
import { invalidRequest } from '../../platform/http';
import { ACTIVITIES, DayCountRepository } from './day-count.repository';
import { dayFull } from './sender.error';

/** What one user may send in this installation. Undefined means that there is no bound. */
export interface SenderBounds {
  readonly largestPacket?: Limits;
  readonly packetsMax?: number;
  readonly activitiesDailyMax?: number;
  readonly sumDailyMax?: Limits;
}

/**
 * Bounds what users send: how much is in a packet, how many packets are in an activity, and what leaves in a UTC
 * day. What comes back frees nothing, as with a budget: a day counts deeds, not their outcomes.
 */
@Injectable()
export class SendingBounds implements Bounds {
  readonly bounds: SenderBounds;

  constructor(
    private readonly counts: DayCountRepository,
    private readonly currencies: Currencies,
    config: AppConfig,
    sponsorBounds: SponsorBounds,
  ) {
    const { code } = currencies.default;
    this.bounds = {
      largestPacket: Limits.of(config.SENDER_LARGEST_PACKET, code),
      packetsMax: config.SENDER_PACKETS_MAX,
      activitiesDailyMax: config.SENDER_ACTIVITIES_DAILY_MAX,
      sumDailyMax: Limits.of(config.SENDER_SUM_DAILY_MAX, code),
    };
    sponsorBounds.register(this);
  }

  /** Random, with a maximum if a packet could otherwise be larger than allowed. */
  async splitOf({ totalAmount, packetCount, currency: code }: PlainTotal): Promise<AnySplitBody> {
    const currency = await this.currencies.named({ currency: code });
    const mostMinor = this.bounds.largestPacket?.in(currency);
    const totalMinor = currency.parse(totalAmount);
    if (mostMinor === undefined || totalMinor <= mostMinor || totalMinor > mostMinor * BigInt(packetCount))
      return { kind: 'random' };
    return { kind: 'random', max: currency.format(mostMinor) };
  }

  async requireRoom(tx: EntityManager, added: AddedPackets): Promise<void> {
    if (!isBounded(added)) return;
    requireSmall(added, this.bounds);
    const { userId } = added.caller;
    const countWith = async (unit: string, more: bigint) => more + (await this.counts.find(userId, unit, tx));
    await this.requireDay(tx, added, countWith);
  }

  async take(tx: EntityManager, added: AddedPackets): Promise<void> {
    if (!isBounded(added)) return;
    const { userId } = added.caller;
    await this.requireDay(tx, added, (unit, more) => this.counts.add(tx, userId, unit, more));
  }

  /** @param countWith returns what today has of a unit, with what is added */
  private async requireDay(
    tx: EntityManager,
    added: AddedPackets,
    countWith: (unit: string, more: bigint) => Promise<bigint>,
  ): Promise<void> {
    const { currency, terms, packetsBefore } = added;
    const { activitiesDailyMax, sumDailyMax } = this.bounds;
    if (activitiesDailyMax !== undefined && packetsBefore === 0)
      await this.requireActivities(tx, await countWith(ACTIVITIES, 1n));
    if (sumDailyMax) await this.requireSum(tx, added, await countWith(currency.code, terms.totalMinor));
  }

  private async requireActivities(tx: EntityManager, count: bigint): Promise<void> {
    const maximum = this.bounds.activitiesDailyMax!;
    if (count <= BigInt(maximum)) return;
    const { endsAt, secondsLeft } = await this.counts.today(tx);
    throw dayFull(
      `A user may create ${maximum} activities in a UTC day; the next one begins at ${textOf(endsAt)}.`,
      { retryAfterSeconds: secondsLeft },
    );
  }

  private async requireSum(
    tx: EntityManager,
    { currency, terms, packetsBefore }: AddedPackets,
    sumMinor: bigint,
  ): Promise<void> {
    const maximumMinor = this.bounds.sumDailyMax!.in(currency);
    if (sumMinor <= maximumMinor) return;
    const { endsAt, secondsLeft } = await this.counts.today(tx);
    const spentMinor = sumMinor - terms.totalMinor;
    const left = currency.format(spentMinor < maximumMinor ? maximumMinor - spentMinor : 0n);
    const message = `must be at most ${left} until the next UTC day`;
    const fields = [{ field: amountField(packetsBefore), ...must.beAtMost(left, message) }];
    throw dayFull(
      `A user may send ${currency.format(maximumMinor)} ${currency.code} in a UTC day; the next one begins at ${textOf(endsAt)}.`,
      { retryAfterSeconds: secondsLeft, fields },
    );
  }
}

/** Staff act for the installation, and play money is worth nothing. */
const isBounded = ({ caller, currency }: AddedPackets): boolean => !isStaff(caller.role) && !currency.isPlay;

const amountField = (packetsBefore: number): string => (packetsBefore === 0 ? 'totalAmount' : 'amount');

const textOf = (instant: Date): string => instant.toISOString().replace('.000', '');

/** @throws Problem `request.invalid` naming the field */
function requireSmall(added: AddedPackets, { packetsMax, largestPacket }: SenderBounds): void {
  const faults = [
    packetsMax && packetsFault(added, packetsMax),
    largestPacket && amountFault(added, largestPacket),
  ];
  const fields = faults.filter((fault) => typeof fault === 'object');
  if (fields.length > 0) throw invalidRequest('That is beyond what a user may send.', { fields });
}

function packetsFault({ terms, packetsBefore }: AddedPackets, packetsMax: number): FieldFault | undefined {
  if (packetsBefore + terms.packetCount <= packetsMax) return undefined;
  const maximum = Math.max(0, packetsMax - packetsBefore);
  const message =
    packetsBefore === 0
      ? `must be at most ${maximum}, as many as an activity of a user may have`
      : `must be at most ${maximum} more in this activity`;
  return { field: 'packetCount', ...must.beAtMost(maximum, message) };
}

function amountFault(
  { terms, currency, packetsBefore }: AddedPackets,
  largest: Limits,
): FieldFault | undefined {
  const maximumMinor = largest.in(currency);
  if (packetBounds(terms).mostMinor <= maximumMinor) return undefined;
  const maximum = currency.format(maximumMinor);
  const of = `the largest packet of a user`;
  const field = fieldOf(terms, maximumMinor);
  if (field !== undefined) return { field, ...must.beAtMost(maximum, `must be at most ${maximum}, ${of}`) };
  const most = currency.format(maximumMinor * BigInt(terms.packetCount));
  const message = `must be at most ${most} in ${terms.packetCount} packets: ${of} holds ${maximum}`;
  return { field: amountField(packetsBefore), ...must.beAtMost(most, message) };
}

/** The field that says how much is in the largest packet. Undefined if it follows from the total. */
function fieldOf({ plan, totalMinor, packetCount }: SplitTerms, maximumMinor: bigint): string | undefined {
  switch (plan.kind) {
    case 'tiers':
      return `split.tiers[${plan.tiers.findIndex(({ amountMinor }) => amountMinor > maximumMinor)}].amount`;
    case 'random':
      return totalMinor <= maximumMinor * BigInt(packetCount) ? 'split.max' : undefined;
    case 'equal':
      return undefined;
    default:
      return plan satisfies never;
  }
}
