import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiProblems, busy, type Caller, CurrentCaller, Heavy, IdParam } from '../../platform/http';
import { activityArchived, activityNotFound } from '../../core/activity';
import { PreflightDto } from './preflight.dto';
import { PreflightService } from './preflight.service';

@ApiTags('activities')
@Controller('v1/activities/:id/preflight')
export class PreflightController {
  constructor(private readonly preflight: PreflightService) {}

  @Get()
  @Heavy(20)
  @Allow('read')
  @ApiOperation({
    operationId: 'checkPreflight',
    summary: 'Check an activity before it opens',
    description:
      'For the sponsor and staff. `stop`: the rain would fail or pay late. `warn`: it may. Nothing is changed.',
  })
  @ApiOkResponse({ type: PreflightDto })
  @ApiProblems(activityNotFound, activityArchived, busy)
  check(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<PreflightDto> {
    return this.preflight.check(id, caller);
  }
}
