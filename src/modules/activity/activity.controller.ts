import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiPage, ApiProblems, IdParam, type Page, PageQuery } from '../../platform/http';
import { ActivityDto } from './activity.dto';
import { activityNotFound } from './activity.error';
import { ActivityService } from './activity.service';

@ApiTags('activities')
@Allow('user', 'operator')
@Controller('v1/activities')
export class ActivityController {
  constructor(private readonly activities: ActivityService) {}

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
}
