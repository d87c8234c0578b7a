import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Currencies } from '../../core/currency';
import { Allow, type Caller, CurrentCaller } from '../../platform/http';
import { ACTIVITIES, DayCountRepository } from './day-count.repository';
import { SenderBoundsDto, SenderBoundsQuery } from './sender-bounds.dto';
import { SendingBounds } from './sending-bounds';

@ApiTags('activities')
@Allow('read')
@Controller('v1/me/sender-bounds')
export class SenderBoundsController {
  constructor(
    private readonly sending: SendingBounds,
    private readonly counts: DayCountRepository,
    private readonly currencies: Currencies,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'readMySenderBounds',
    summary: 'Read what I may send',
    description:
      'The bounds of this installation for users, and what of them is used today. Staff have none.',
  })
  @ApiOkResponse({ type: SenderBoundsDto })
  async read(
    @Query() query: SenderBoundsQuery,
    @CurrentCaller() { userId }: Caller,
  ): Promise<SenderBoundsDto> {
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
