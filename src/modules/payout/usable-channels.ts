import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { PacketBounds } from '../../../libs/split';
import { Currency } from '../../platform/config';
import type { ChannelRow } from './channel.entity';
import { ChannelRepository } from './channel.repository';
import { activityUnpayable, channelNotFound, channelPaused } from './payout.error';

/** Channels that new payouts and activities may name. */
@Injectable()
export class UsableChannels {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly currency: Currency,
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
   * Refuses packets that the channel could never pay out.
   * @throws channelNotFound, channelPaused, activityUnpayable
   */
  async requirePayable(
    tx: EntityManager,
    id: string,
    { leastMinor, mostMinor }: PacketBounds,
  ): Promise<void> {
    const { profile } = await this.lock(tx, id);
    const { smallest, largest, perUserPerDay, gatherSeconds = 0 } = profile;
    const money = (minor: bigint) => this.currency.format(minor);
    if (gatherSeconds === 0 && leastMinor < this.currency.parse(smallest))
      throw activityUnpayable(
        `A packet may hold ${money(leastMinor)}, and channel ${id} pays out ${smallest} at least.`,
      );
    for (const limit of [largest, perUserPerDay])
      if (limit !== undefined && mostMinor > this.currency.parse(limit))
        throw activityUnpayable(
          `A packet may hold ${money(mostMinor)}, and channel ${id} pays out ${limit} to a user at most.`,
        );
  }
}
