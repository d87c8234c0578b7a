import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
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
import { ApiSecondPerson, type PendingDeed } from '../../second-person';
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
      'is open, the money pays for a new packet of the same amount, which waiting users get first. The user cannot ' +
      'grab again in this activity.',
  })
  @ApiOkResponse({ type: VoidedClaimDto })
  @ApiSecondPerson({
    deed: 'A void',
    pending: 'Nothing has changed. A second person has to approve the void.',
  })
  @ApiProblems(deadLetterNotFound, deadLetterNotOpen, balanceLimitReached, busy, creationUnderWay)
  declareVoid(
    @IdParam() id: string,
    @Body() body: VoidBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<VoidedClaimDto | PendingDeed> {
    return this.voids.declareVoid(request, id, body);
  }
}
