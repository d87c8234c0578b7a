import { Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiPage,
  ApiProblems,
  type Caller,
  CurrentCaller,
  IdParam,
  type Page,
  PageQuery,
} from '../../platform/http';
import { activityLoading, activityNotFound } from '../activity';
import { WaitingPlaceDto, WaitingUserDto } from './waitlist.dto';
import { nothingToWaitFor, notWaiting, waitlistFull, waitlistUnavailable } from './waitlist.error';
import { WaitlistService } from './waitlist.service';

@ApiTags('grabs')
@Controller('v1/activities/:id/waitlist')
export class WaitlistController {
  constructor(private readonly waitlist: WaitlistService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @Allow('play')
  @ApiOperation({
    summary: 'Wait for a packet',
    description:
      'After "sold-out". One place per user, in the order of joining: asking again returns the same one. When packets ' +
      'come, by a top-up or for a claim that is void, those who wait get them before anybody else, and hear `waitlist.assigned`.',
  })
  @ApiOkResponse({ type: WaitingPlaceDto })
  @ApiProblems(activityNotFound, nothingToWaitFor, waitlistFull, activityLoading, waitlistUnavailable)
  join(@IdParam() activityId: string, @CurrentCaller() { userId }: Caller): Promise<WaitingPlaceDto> {
    return this.waitlist.join(activityId, userId);
  }

  @Get()
  @Allow('read')
  @ApiOperation({
    summary: 'Who waits',
    description: 'For the sponsor of the activity and staff, the first in line first.',
  })
  @ApiPage(WaitingUserDto, 'Users who wait')
  @ApiProblems(activityNotFound, waitlistUnavailable)
  list(
    @IdParam() activityId: string,
    @Query() page: PageQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<Page<WaitingUserDto>> {
    return this.waitlist.list(activityId, page, caller);
  }

  @Get('me')
  @Allow('read')
  @ApiOperation({ summary: 'My place in the waiting list' })
  @ApiOkResponse({ type: WaitingPlaceDto })
  @ApiProblems(notWaiting, waitlistUnavailable)
  place(@IdParam() activityId: string, @CurrentCaller() { userId }: Caller): Promise<WaitingPlaceDto> {
    return this.waitlist.place(activityId, userId);
  }
}
