import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { must } from '../../../../libs/problem';
import type { PacketBounds } from '../../../../libs/split';
import { Currencies, type KnownCurrency } from '../../../core/currency';
import { invalidField } from '../../../platform/http';
import type { PayoutEstimateDto } from './channel.dto';
import type { ChannelRow } from './channel.entity';
import { paceOf } from './channel-pace';
import { ChannelRepository } from './channel.repository';
import { activityUnpayable, channelNotFound, channelPaused } from './channel.error';

/** The money that an activity would pay out, and in how many days. */
export interface PayoutPlan extends PacketBounds {
  readonly currency: KnownCurrency;
  readonly totalMinor: bigint;
  /** The sum that it pays out already, in as many days as that takes. */
  readonly agreedMinor?: bigint;
  /** The days that its creator allows. */
  readonly days?: number;
}

/** Channels that new payouts and activities may name. */
@Injectable()
export class UsableChannels {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly currencies: Currencies,
  ) {}

  /**
   * The channel is not deleted before the transaction ends.
   * @throws channelNotFound, channelPaused
   */
  async lock(tx: EntityManager, id: string): Promise<ChannelRow> {
    const channel = await this.channels.lock(tx, id, 'for_key_share');
    if (!channel) throw channelNotFound(`There is no payout channel ${id}.`);
    if (channel.isPaused) throw channelPaused(`Channel ${id} takes no payouts now.`);
    return channel;
  }

  /**
   * Refuses packets that the channel could never pay out, and a sum that takes it more days than the request
   * says.
   * @throws channelNotFound, channelPaused, activityUnpayable
   */
  async requirePayable(
    tx: EntityManager,
    id: string,
    { currency, leastMinor, mostMinor, totalMinor, agreedMinor = 0n, days = 1 }: PayoutPlan,
  ): Promise<void> {
    const { profile, outboundAccountId } = await this.lock(tx, id);
    const { code } = await this.currencies.ofAccount(outboundAccountId);
    if (code !== currency.code)
      throw invalidField(
        'payout.channelId',
        must.beOneOf([], `must be a channel that pays out ${currency.code}; this one pays out ${code}`),
      );
    const { smallest, largest, perUserPerDay, perDay, gatherSeconds = 0 } = profile;
    const money = (minor: bigint) => currency.format(minor);
    if (gatherSeconds === 0 && leastMinor < currency.parse(smallest))
      throw activityUnpayable(
        `A packet may hold ${money(leastMinor)}, and channel ${id} pays out at least ${smallest}.`,
      );
    for (const limit of [largest, perUserPerDay, perDay])
      if (limit !== undefined && mostMinor > currency.parse(limit))
        throw activityUnpayable(
          `A packet may hold ${money(mostMinor)}, and channel ${id} pays out at most ${limit} to a user.`,
        );
    if (perDay === undefined) return;
    const daysOf = (minor: bigint) => Number(quotientUp(minor, currency.parse(perDay)));
    if (daysOf(totalMinor) > Math.max(days, daysOf(agreedMinor)))
      throw activityUnpayable(
        `${money(totalMinor)} takes ${daysOf(totalMinor)} days: channel ${id} pays out ${perDay} a day. Allow that many days, or take less.`,
      );
  }

  /**
   * Estimates when the channel will have paid this many packets and everything that waits in it, at the pace
   * of its profile. Undefined for a channel that is not called: it keeps its own pace.
   * @throws channelNotFound, channelPaused
   */
  async estimate(
    tx: EntityManager,
    id: string,
    { packetCount, totalMinor }: { readonly packetCount: number; readonly totalMinor: bigint },
  ): Promise<PayoutEstimateDto | undefined> {
    const { url, profile, outboundAccountId } = await this.lock(tx, id);
    if (url === null) return undefined;
    const currency = await this.currencies.ofAccount(outboundAccountId);
    const { timeZone } = profile;
    const { payouts, minor, sentMinor } = await this.channels.backlog(tx, id, timeZone);
    const wholeMinor = minor + totalMinor;
    const seconds = (payouts + packetCount) / paceOf(profile).perSecond;
    const perDayMinor = profile.perDay === undefined ? wholeMinor : currency.parse(profile.perDay);
    const leftMinor = profile.perDay === undefined ? wholeMinor : perDayMinor - sentMinor;
    const laterMinor = wholeMinor - (leftMinor > 0n ? leftMinor : 0n);
    const nights = laterMinor > 0n ? quotientUp(laterMinor, perDayMinor) : 0n;
    const lastMinor = nights === 0n ? wholeMinor : laterMinor - (nights - 1n) * perDayMinor;
    const lastSeconds = (seconds * Number(lastMinor)) / Number(wholeMinor);
    const { at, inSeconds } = await this.channels.instant(tx, timeZone, Number(nights), lastSeconds);
    const days = Number(nights) + (leftMinor > 0n ? 1 : 0);
    return { days, endsAt: at.toISOString(), seconds: inSeconds };
  }
}

const quotientUp = (minor: bigint, by: bigint): bigint => (minor + by - 1n) / by;
