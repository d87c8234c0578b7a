import { Body, Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiProblems,
  busy,
  Heavy,
  Idempotent,
  type IdempotentRequest,
  IdParam,
} from '../../../platform/http';
import { activityEnded, activityNotFound, creationUnderWay, tooManyPackets } from '../../activity';
import { ApiBacking } from '../../currency';
import { ApiOutlet } from '../../outlet';
import { ApiSecondPerson, type PendingDeed } from '../../second-person';
import { budgetExceeded, insufficientFunds, walletFrozen } from '../../wallet';
import { TopUpBody, TopUpDto } from './top-up.dto';
import { TopUpService } from './top-up.service';
import { TOP_UP_EXAMPLES } from './top-up-examples';

@ApiTags('activities')
@Allow('sponsor')
@Controller('v1/activities/:id/top-ups')
export class TopUpController {
  constructor(private readonly topUps: TopUpService) {}

  @Post()
  @Heavy(20)
  @ApiExamples(TopUpBody, TOP_UP_EXAMPLES)
  @ApiOperation({
    operationId: 'topUpActivity',
    summary: 'Top up an activity',
    description:
      'For the sponsor and staff, until the activity ends. Adds money and packets, paid from the wallet of the ' +
      'sponsor. Users without a packet can grab the new ones at once.',
  })
  @ApiCreatedResponse({ type: TopUpDto })
  @ApiSecondPerson({
    deed: 'A top-up by staff',
    pending: 'Nothing has been added. A second person has to approve it.',
  })
  @ApiProblems(activityNotFound, activityEnded, insufficientFunds, walletFrozen, tooManyPackets, busy)
  @ApiProblems(budgetExceeded, creationUnderWay)
  @ApiBacking()
  @ApiOutlet()
  topUp(
    @IdParam() activityId: string,
    @Body() body: TopUpBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<TopUpDto | PendingDeed> {
    return this.topUps.topUp(request, activityId, body);
  }
}
