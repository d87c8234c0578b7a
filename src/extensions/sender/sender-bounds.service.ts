import { Injectable } from '@nestjs/common';
import { Currencies } from '../../core/currency';
import { ACTIVITIES, DayCountRepository } from './day-count.repository';
import type { SenderBoundsDto, SenderBoundsQuery } from './sender-bounds.dto';
import { SendingBounds } from './sending-bounds';

/** Shows users what they may send, and how much of it is used. */
@Injectable()
export class SenderBoundsService {
  constructor(
    private readonly sending: SendingBounds,
    private readonly counts: DayCountRepository,
    private readonly currencies: Currencies,
  ) {}

  async read(userId: string, query: SenderBoundsQuery): Promise<SenderBoundsDto> {
    const currency = await this.currencies.named(query);
    const { largestPacket, packetsMax, activitiesDailyMax, sumDailyMax } = this.sending.bounds;
    const [activities, sentMinor, { endsAt }] = await Promise.all([
      this.counts.find(userId, ACTIVITIES),
      this.counts.find(userId, currency.code),
      this.counts.today(),
    ]);
    return {
      currency: currency.code,
      largestPacket: largestPacket ? currency.format(largestPacket.in(currency)) : null,
      packetsMax: packetsMax ?? null,
      activitiesPerDay: activitiesDailyMax ?? null,
      activitiesToday: Number(activities),
      sumPerDay: sumDailyMax ? currency.format(sumDailyMax.in(currency)) : null,
      sentToday: currency.format(sentMinor),
      nextDayAt: endsAt.toISOString(),
    };
  }
}
