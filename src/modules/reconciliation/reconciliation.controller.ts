import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiProblems, busy, type Caller, CurrentCaller, IdParam } from '../../platform/http';
import { activityArchived, activityNotFound } from '../activity';
import { ReconciliationDto } from './reconciliation.dto';
import { ReconciliationService } from './reconciliation.service';

@ApiTags('activities')
@Controller('v1/activities/:id/reconciliation')
export class ReconciliationController {
  constructor(private readonly reconciliation: ReconciliationService) {}

  @Get()
  @Allow('read')
  @ApiOperation({
    summary: 'The proof that the books agree',
    description: 'For the sponsor and staff. True at any moment, even while it rains.',
  })
  @ApiOkResponse({ type: ReconciliationDto })
  @ApiProblems(activityNotFound, activityArchived, busy)
  prove(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<ReconciliationDto> {
    return this.reconciliation.prove(id, caller);
  }
}
