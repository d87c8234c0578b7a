import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiProblems,
  type Caller,
  CurrentCaller,
  Idempotent,
  type IdempotentRequest,
  IdParam,
} from '../../../platform/http';
import { ApprovalDto } from '../../approval';
import { balanceLimitReached, deadLetterNotFound, deadLetterNotOpen } from '../../wallet';
import { VoidBody, VoidedClaimDto } from './void.dto';
import { VoidService } from './void.service';

@ApiTags('dead letters')
@Allow('manage-money')
@Controller('v1/dead-letters/:id/void')
export class VoidController {
  constructor(private readonly voids: VoidService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Declare void',
    description:
      'Ends the case for good: the claim is never paid, its money goes back to the sponsor, and while the activity goes ' +
      'on it pays for a new packet of the same amount, which those who wait get first. The user cannot grab again in this ' +
      'activity. Beyond `APPROVAL_ABOVE` and `APPROVAL_ABOVE_DAILY` it is answered 202 instead, and waits for somebody else ' +
      'to approve it.',
  })
  @ApiOkResponse({ type: VoidedClaimDto })
  @ApiAcceptedResponse({
    type: ApprovalDto,
    description: 'Nothing has changed: somebody else has to approve it.',
  })
  @ApiProblems(deadLetterNotFound, deadLetterNotOpen, balanceLimitReached)
  declareVoid(
    @IdParam() id: string,
    @Body() body: VoidBody,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<VoidedClaimDto | ApprovalDto> {
    return this.voids.declareVoid(request, caller, id, body);
  }
}
