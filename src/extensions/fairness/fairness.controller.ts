import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiProblems,
  busy,
  type Caller,
  CurrentCaller,
  CurrentStranger,
  IdParam,
  InTurn,
  OpenToStrangers,
  PageQuery,
} from '../../platform/http';
import { activityArchived, activityNotFound } from '../../core/activity';
import { FairnessDto, PacketProofDto } from './fairness.dto';
import { packetNotYours, packetUncommitted } from './fairness.error';
import { FairnessService } from './fairness.service';

@ApiTags('fairness')
@Allow('read')
@Controller('v1')
export class FairnessController {
  constructor(private readonly fairness: FairnessService) {}

  @Get('activities/:id/fairness')
  @OpenToStrangers()
  @InTurn(10)
  @ApiOperation({
    operationId: 'readFairness',
    summary: 'Read the commitments of an activity',
    description:
      'The terms, the commitment and the root of each batch of packets, published before any of them could be ' +
      'grabbed, and the seeds after the end. All amounts follow from terms and seed: see docs/fairness.md. Without a ' +
      'token, an answer may be a second old.',
  })
  @ApiOkResponse({ type: FairnessDto })
  @ApiProblems(activityNotFound, busy)
  ofActivity(
    @IdParam() activityId: string,
    @Query() query: PageQuery,
    @CurrentStranger() stranger: string | undefined,
  ): Promise<FairnessDto> {
    return stranger === undefined
      ? this.fairness.ofActivity(activityId, query)
      : this.fairness.forStranger(stranger, activityId, query);
  }

  @Get('me/packets/:redPacketId/proof')
  @InTurn(20)
  @ApiOperation({
    operationId: 'provePacket',
    summary: 'Prove that my packet existed before the rain began',
    description:
      'Available immediately after the win. The path from the packet to the root that was published before it.',
  })
  @ApiOkResponse({ type: PacketProofDto })
  @ApiProblems(packetNotYours, packetUncommitted, activityArchived)
  ofPacket(
    @IdParam('redPacketId') redPacketId: string,
    @CurrentCaller() caller: Caller,
  ): Promise<PacketProofDto> {
    return this.fairness.ofPacket(redPacketId, caller.userId);
  }
}
