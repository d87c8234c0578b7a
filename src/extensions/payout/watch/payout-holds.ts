import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Currencies } from '../../../core/currency';
import { dayMaxMinor } from '../book/allowance';
import type { PayoutRow } from '../book/payout.entity';
import type { ChannelRow } from '../channel/channel.entity';
import { channelHeld, channelNotCalled } from '../channel/channel.error';
import { ChannelRepository } from '../channel/channel.repository';
import { DueRepository } from '../send/due.repository';

/** Says why a channel is not called for a payout now. The sender decides by the same conditions. */
@Injectable()
export class PayoutHolds {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly due: DueRepository,
    private readonly currencies: Currencies,
  ) {}

  /**
   * What holds up payments does not keep the channel from being asked about one that may have been sent.
   * @throws channelNotCalled, channelHeld
   */
  async requireCallable(tx: EntityManager, { id, channelId, state }: PayoutRow): Promise<void> {
    const channel = await this.channels.findChannel(channelId, tx);
    if (!channel?.url) throw channelNotCalled('Its back end reads the waiting payouts.');
    const isPayment = state === 'reserved';
    const ofAll = await this.channels.holdOf(tx, channelId, !isPayment);
    if (ofAll !== undefined) throw channelHeld(`Channel ${channelId}: ${ofAll}. Resume it, or wait.`);
    if (!isPayment) return;
    const ofThis = await this.due.holdOf(tx, { id, channelId }, await this.roomToday(tx, channel));
    if (ofThis !== undefined) throw channelHeld(`Payout ${id}: ${ofThis}.`);
  }

  /** The minor units that the channel may still be sent today. */
  private async roomToday(
    tx: EntityManager,
    { id, profile: { perDay, timeZone }, outboundAccountId }: ChannelRow,
  ): Promise<bigint> {
    const currency = await this.currencies.ofAccount(outboundAccountId);
    return dayMaxMinor(perDay, currency) - (await this.channels.sentToday(tx, id, timeZone));
  }
}
