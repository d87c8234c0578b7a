import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiProblems, type Caller, CurrentCaller, IdParam, InTurn } from '../../platform/http';
import { activityArchived, activityNotFound } from '../../core/activity';
import { HistoryDto } from './history.dto';
import { HistoryService } from './history.service';

@ApiTags('activities')
@Allow('read')
@Controller('v1/activities/:id/history')
export class HistoryController {
  constructor(private readonly history: HistoryService) {}

  @Get()
  @InTurn(20)
  @ApiOperation({
    operationId: 'readActivityHistory',
    summary: 'What happened in an activity, minute by minute',
    description:
      'For the sponsor and staff, during the activity and after it. At most 20 seconds old, or older if it ' +
      'takes long to read: an answer is kept for 20 times as long as the reading took. Taps are ' +
      'statistics: a process that is killed loses its last five seconds. They are counted from an hour ' +
      'before the opening until an hour after the end, and kept for `HISTORY_KEPT_DAYS`, or until the ' +
      'activity is archived.',
  })
  @ApiOkResponse({ type: HistoryDto })
  @ApiProblems(activityNotFound, activityArchived)
  read(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<HistoryDto> {
    return this.history.ofActivity(id, caller);
  }
}
