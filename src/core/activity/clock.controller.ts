import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Servers, Standings } from '../../../libs/redis-scripts';
import { Allow, unavailable } from '../../platform/http';
import { ClockDto, ClockQuery } from './clock.dto';

@ApiTags('activities')
@Allow('read')
@Controller('v1/clock')
export class ClockController {
  constructor(
    private readonly servers: Servers,
    private readonly standings: Standings,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'readClock',
    summary: 'Read the clock that opens activities',
    description:
      'For countdowns, because a phone’s clock may be wrong. Ask a few times and use the fastest answer, ' +
      'which is half a round trip old.',
  })
  @ApiOkResponse({ type: ClockDto })
  async read(@Query() { activityId }: ClockQuery): Promise<ClockDto> {
    const { nowMs } = await this.servers.facts(this.keyOf(activityId)).catch((cause: unknown) => {
      throw unavailable('The time could not be read from Redis; try again.', { retryAfterSeconds: 1, cause });
    });
    return { now: new Date(nowMs).toISOString() };
  }

  /** A key on the server whose clock decides. */
  private keyOf(activityId?: string): string {
    return activityId === undefined ? this.servers.keys[0]! : this.standings.keys.activity(activityId).state;
  }
}
