import { Controller, Get, Query } from '@nestjs/common';
import { isStaff } from '../../../libs/roles';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiPage,
  ApiProblems,
  type Caller,
  CurrentCaller,
  InTurn,
  IdParam,
  type Page,
} from '../../platform/http';
import { ActivitiesQuery, ActivityDto } from './activity.dto';
import { activityNotFound } from './activity.error';
import { ActivityService } from './activity.service';

@ApiTags('activities')
@Allow('read')
@Controller('v1/activities')
export class ActivityController {
  constructor(private readonly activities: ActivityService) {}

  @Get()
  @InTurn(20)
  @ApiOperation({
    operationId: 'listActivities',
    summary: 'List activities',
    description:
      'Newest first. Users see public activities and their own. With `phase` or `name`, a page may have ' +
      'fewer items than `limit`, or none, and still have a `nextCursor`: the other activities that were ' +
      'searched for it did not match.',
  })
  @ApiPage(ActivityDto, 'Activities')
  list(
    @Query() query: ActivitiesQuery,
    @CurrentCaller() { role, userId }: Caller,
  ): Promise<Page<ActivityDto>> {
    return this.activities.list(query, isStaff(role) ? undefined : userId);
  }

  @Get(':id')
  @ApiOperation({ operationId: 'readActivity', summary: 'Read an activity' })
  @ApiOkResponse({ type: ActivityDto })
  @ApiProblems(activityNotFound)
  read(@IdParam() id: string): Promise<ActivityDto> {
    return this.activities.read(id);
  }
}
