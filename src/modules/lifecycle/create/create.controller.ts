import { Body, Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiProblems,
  busy,
  type Caller,
  CurrentCaller,
  Idempotent,
  type IdempotentRequest,
} from '../../../platform/http';
import { ActivityDto, creationUnderWay, tooManyActivities } from '../../activity';
import { insufficientFunds, walletFrozen } from '../../wallet';
import { CreateActivityBody } from './create.dto';
import { CreateService } from './create.service';

@ApiTags('activities')
@Allow('user', 'operator')
@Controller('v1/activities')
export class CreateController {
  constructor(private readonly creation: CreateService) {}

  @Post()
  @ApiOperation({
    summary: 'Create and fund an activity',
    description:
      'Moves the total from the wallet of the sponsor into escrow, splits it and loads the packets. It opens by itself. ' +
      'Operators name any sponsor; for everybody else the sponsor is the caller.',
  })
  @ApiCreatedResponse({ type: ActivityDto })
  @ApiProblems(insufficientFunds, walletFrozen, creationUnderWay, tooManyActivities, busy)
  create(
    @Body() body: CreateActivityBody,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<ActivityDto> {
    return this.creation.create(request, caller, body);
  }
}
