import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiPage,
  ApiProblems,
  busy,
  type Caller,
  CurrentCaller,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  type Page,
  PageQuery,
} from '../../platform/http';
import { activityNotFound } from '../grab';
import { insufficientFunds, walletFrozen } from '../wallet';
import { ActivityDto, CreateActivityBody } from './activity.dto';
import { activityAlreadyOpen, closeUnavailable, creationUnderWay, tooManyActivities } from './activity.error';
import { ActivityService } from './activity.service';

@ApiTags('activities')
@Allow('user', 'operator')
@Controller('v1/activities')
export class ActivityController {
  constructor(private readonly activities: ActivityService) {}

  @Post()
  @ApiOperation({
    summary: 'Create and fund an activity',
    description:
      'Moves the total from the wallet of the sponsor into escrow, splits it and loads the packets. It opens by itself. ' +
      'Operators name any sponsor; for everybody else the sponsor is the caller.',
  })
  @ApiCreatedResponse({ type: ActivityDto })
  @ApiProblems(insufficientFunds, walletFrozen, creationUnderWay, tooManyActivities, busy)
  create(
    @Body() body: CreateActivityBody,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<ActivityDto> {
    return this.activities.create(request, caller, body);
  }

  @Get()
  @ApiOperation({ summary: 'List activities', description: 'Newest first.' })
  @ApiPage(ActivityDto, 'Activities')
  list(@Query() page: PageQuery): Promise<Page<ActivityDto>> {
    return this.activities.list(page);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read an activity' })
  @ApiOkResponse({ type: ActivityDto })
  @ApiProblems(activityNotFound)
  read(@IdParam() id: string): Promise<ActivityDto> {
    return this.activities.read(id);
  }

  @Post(':id/close')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Close now',
    description: 'For the sponsor and operators. Refunds what nobody took. Closing again changes nothing.',
  })
  @ApiOkResponse({ type: ActivityDto })
  @ApiProblems(activityNotFound, closeUnavailable)
  close(
    @IdParam() id: string,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<ActivityDto> {
    return this.activities.close(request, caller, id);
  }

  @Post(':id/cancel')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Cancel before it opens',
    description: 'For the sponsor and operators. Refunds the total.',
  })
  @ApiOkResponse({ type: ActivityDto })
  @ApiProblems(activityNotFound, activityAlreadyOpen, closeUnavailable)
  cancel(
    @IdParam() id: string,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<ActivityDto> {
    return this.activities.cancel(request, caller, id);
  }
}
