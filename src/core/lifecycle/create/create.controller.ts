import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  Allow,
  ApiExamples,
  ApiProblems,
  busy,
  Heavy,
  Idempotent,
  type IdempotentRequest,
} from '../../../platform/http';
import { AppConfig } from '../../../platform/config';
import { ActivityDto, creationUnderWay, tooManyActivities, tooManyPackets } from '../../activity';
import { ApiBacking } from '../../currency';
import { ApiOutlet } from '../../outlet';
import { ApiSecondPerson, isPending, type PendingDeed } from '../../second-person';
import { budgetExceeded, insufficientFunds, walletFrozen } from '../../wallet';
import { CreateActivityBody } from './create.dto';
import { CreateService } from './create.service';
import { CREATE_EXAMPLES } from './create-examples';
import { ApiSeeds } from './seed-definition';

@ApiTags('activities')
@Allow('sponsor')
@Controller('v1/activities')
export class CreateController {
  constructor(
    private readonly creation: CreateService,
    private readonly config: AppConfig,
  ) {}

  @Post()
  @Heavy(20)
  @ApiExamples(CreateActivityBody, CREATE_EXAMPLES)
  @ApiOperation({
    operationId: 'createActivity',
    summary: 'Create and fund an activity',
    description:
      'Moves the total from the wallet of the sponsor into escrow, splits it and loads the packets. The activity ' +
      'opens by itself at `opensAt`. Staff may name any sponsor; for users the sponsor is the caller.',
  })
  @ApiCreatedResponse({
    type: ActivityDto,
    headers: {
      Location: {
        description: 'Path of the new activity.',
        schema: { type: 'string', format: 'uri-reference' },
      },
    },
  })
  @ApiSecondPerson({
    deed: 'A creation by staff',
    pending: 'Nothing has been created. A second person has to approve it.',
  })
  @ApiProblems(
    budgetExceeded,
    insufficientFunds,
    walletFrozen,
    creationUnderWay,
    tooManyActivities,
    tooManyPackets,
    busy,
  )
  @ApiBacking()
  @ApiOutlet()
  @ApiSeeds()
  async create(
    @Body() body: CreateActivityBody,
    @Idempotent() request: IdempotentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ActivityDto | PendingDeed> {
    const answer = await this.creation.create(request, body);
    if (!isPending(answer)) reply.header('Location', `${this.config.BASE_PATH}/v1/activities/${answer.id}`);
    return answer;
  }
}
