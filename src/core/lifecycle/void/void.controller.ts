import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiProblems,
  busy,
  Idempotent,
  type IdempotentRequest,
  IdParam,
} from '../../../platform/http';
import { creationUnderWay } from '../../activity';
import { ApprovalDto } from '../../../extensions/approval';
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
  @ApiExamples(VoidBody, {
    'open letter': { reason: 'The account belongs to a robot.' },
    'resolved letter': { reason: 'Paid by hand to a robot.', status: 'resolved' },
  })
  @ApiOperation({
    operationId: 'voidDeadLetter',
    summary: 'Declare a dead letter void',
    description:
      'Ends the case for good. The claim is never paid, and its money goes back to the sponsor. While the activity ' +
      'goes on, the money pays for a new packet of the same amount, which waiting users get first. The user cannot ' +
      'grab again in this activity. A void beyond `APPROVAL_ABOVE` or `APPROVAL_ABOVE_DAILY` is answered 202 and ' +
      'waits for the approval of a second person.',
  })
  @ApiOkResponse({ type: VoidedClaimDto })
  @ApiAcceptedResponse({
    type: ApprovalDto,
    description: 'Nothing has changed. A second person has to approve the void.',
  })
  @ApiProblems(deadLetterNotFound, deadLetterNotOpen, balanceLimitReached, busy, creationUnderWay)
  declareVoid(
    @IdParam() id: string,
    @Body() body: VoidBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<VoidedClaimDto | ApprovalDto> {
    return this.voids.declareVoid(request, id, body);
  }
}
