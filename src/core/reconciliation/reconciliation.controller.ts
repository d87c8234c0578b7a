import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiProblems, busy, type Caller, CurrentCaller, Heavy, IdParam } from '../../platform/http';
import { activityArchived, activityNotFound } from '../activity';
import { ReconciliationDto } from './reconciliation.dto';
import { ReconciliationService } from './reconciliation.service';

@ApiTags('closing')
@Controller('v1/activities/:id/reconciliation')
export class ReconciliationController {
  constructor(private readonly reconciliation: ReconciliationService) {}

  @Get()
  @Heavy(20)
  @Allow('read')
  @ApiOperation({
    operationId: 'reconcileActivity',
    summary: 'Read the reconciliation of an activity',
    description:
      'For the sponsor and staff. The proof that the books agree. It holds at any moment, even during the rain.',
  })
  @ApiOkResponse({ type: ReconciliationDto })
  @ApiProblems(activityNotFound, activityArchived, busy)
  prove(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<ReconciliationDto> {
    return this.reconciliation.prove(id, caller);
  }
}
