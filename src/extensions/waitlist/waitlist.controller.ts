import { Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiPage,
  ApiProblems,
  type Caller,
  CountsAs,
  CurrentCaller,
  IdParam,
  type Page,
  PageQuery,
} from '../../platform/http';
import { activityLoading, activityNewer, activityNotFound, JudgesVisibility } from '../../core/activity';
import { Admissions, type TapOptions, TapOptionsParam } from '../../core/grab';
import { WaitingPlaceDto, WaitingUserDto } from './waitlist.dto';
import { nothingToWaitFor, notWaiting, waitlistFull, waitlistUnavailable } from './waitlist.error';
import { WaitlistService } from './waitlist.service';

@ApiTags('grabs')
@Controller('v1/activities/:id/waitlist')
export class WaitlistController {
  constructor(
    private readonly admissions: Admissions,
    private readonly waitlist: WaitlistService,
  ) {}

  @Post()
  @JudgesVisibility()
  @CountsAs(5)
  @HttpCode(HttpStatus.OK)
  @Allow('play')
  @ApiOperation({
    operationId: 'joinWaitlist',
    summary: 'Join the waiting list',
    description:
      'For users who were answered `sold-out`. A user has one place, in the order of joining; a repeated request ' +
      'returns the same place. Packets that become available, by a top-up or for a void claim, go to waiting users ' +
      'first. They are notified by `waitlist.assigned`.',
  })
  @ApiOkResponse({ type: WaitingPlaceDto })
  @ApiProblems(
    activityNotFound,
    nothingToWaitFor,
    waitlistFull,
    activityLoading,
    activityNewer,
    waitlistUnavailable,
  )
  async join(
    @IdParam() activityId: string,
    @CurrentCaller() { userId }: Caller,
    @TapOptionsParam() options: TapOptions,
  ): Promise<WaitingPlaceDto> {
    const { hold } = await this.admissions.admitUser(activityId, userId, options);
    return this.waitlist.join(activityId, userId, hold);
  }

  @Get()
  @CountsAs(5)
  @Allow('read')
  @ApiOperation({
    operationId: 'listWaitingUsers',
    summary: 'List waiting users',
    description: 'For the sponsor of the activity and staff, in order of place.',
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
  @ApiOperation({ operationId: 'readMyPlace', summary: 'Read my place in the waiting list' })
  @ApiOkResponse({ type: WaitingPlaceDto })
  @ApiProblems(notWaiting, waitlistUnavailable)
  place(@IdParam() activityId: string, @CurrentCaller() { userId }: Caller): Promise<WaitingPlaceDto> {
    return this.waitlist.place(activityId, userId);
  }
}
