import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiProblems, type Caller, CountsAs, CurrentCaller, IdParam } from '../../platform/http';
import { activityNotFound } from '../../core/activity';
import { ProgressDto } from './overview.dto';
import { ProgressService } from './progress.service';

@ApiTags('activities')
@Allow('read')
@Controller('v1/activities/:id/progress')
export class ProgressController {
  constructor(private readonly progress: ProgressService) {}

  @Get()
  @CountsAs(2)
  @ApiOperation({
    operationId: 'readActivityProgress',
    summary: 'Live progress of an activity',
    description:
      'For the sponsor and staff. The call is cheap enough to be made every second. The reconciliation ' +
      'shows where the money is.',
  })
  @ApiOkResponse({ type: ProgressDto })
  @ApiProblems(activityNotFound)
  read(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<ProgressDto> {
    return this.progress.readProgress(id, caller);
  }
}
