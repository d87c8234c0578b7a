import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiProblems,
  busy,
  type Caller,
  CurrentCaller,
  IdParam,
  InTurn,
  Public,
} from '../../platform/http';
import { AS_TEXT, TEXT } from './checkpoint-text';
import {
  CheckpointQuery,
  ConsistencyQuery,
  LeavesQuery,
  LogConsistencyDto,
  LogLeavesDto,
  LogProofDto,
} from './claim-log.dto';
import { claimNotLogged, logEmpty, notCosigned } from './claim-log.error';
import { ClaimLogService } from './claim-log.service';

@ApiTags('fairness')
@Controller('v1')
export class ClaimLogController {
  constructor(private readonly log: ClaimLogService) {}

  @Get('log/checkpoint')
  @Public()
  @Header('content-type', TEXT)
  @Header('cache-control', 'public, max-age=1')
  @ApiOperation({
    operationId: 'readCheckpoint',
    summary: 'Read the last checkpoint of the log of claims',
    description:
      'A signed note of C2SP (tlog-checkpoint): the size and the root of the tree, then the signatures of the log and ' +
      'of each witness that has signed it (tlog-cosignature). Keep it: a later tree that does not begin with this one ' +
      'is another history. The newest one often has no witness yet: `quorum` asks for the newest that has enough. ' +
      'See docs/fairness.md.',
  })
  @ApiOkResponse(AS_TEXT)
  @ApiProblems(logEmpty, notCosigned, busy)
  checkpoint(@Query() query: CheckpointQuery): Promise<string> {
    return this.log.checkpoint(query);
  }

  @Get('log/key')
  @Public()
  @Header('content-type', TEXT)
  @ApiOperation({
    operationId: 'readLogKey',
    summary: 'Read the public key of the log of claims',
    description:
      'As in signed notes: `<name>+<id>+<key>`. Save it once: it stays the same until its operators publish a new key.',
  })
  @ApiOkResponse(AS_TEXT)
  @ApiProblems(logEmpty)
  async key(): Promise<string> {
    return `${(await this.log.tree()).verifierKey}\n`;
  }

  @Get('log/consistency')
  @Public()
  @ApiOperation({
    operationId: 'proveConsistency',
    summary: 'Prove that a later tree of the log extends an earlier one',
  })
  @ApiOkResponse({ type: LogConsistencyDto })
  @ApiProblems(logEmpty, busy)
  consistency(@Query() query: ConsistencyQuery): Promise<LogConsistencyDto> {
    return this.log.consistency(query);
  }

  @Get('log/leaves')
  @Public()
  @ApiOperation({
    operationId: 'listLogLeaves',
    summary: 'List leaves of the log of claims',
    description: 'At most 1,000, by index. From all leaves, anyone can recompute every root.',
  })
  @ApiOkResponse({ type: LogLeavesDto })
  @ApiProblems(busy)
  leaves(@Query() { from }: LeavesQuery): Promise<LogLeavesDto> {
    return this.log.leaves(from);
  }

  @Get('me/packets/:redPacketId/log-proof')
  @Allow('read')
  @InTurn(20)
  @ApiOperation({
    operationId: 'proveLogged',
    summary: 'Prove that my packet is in the log of claims',
    description: 'Available a few seconds after the win. The salt leads from your user id to the leaf.',
  })
  @ApiOkResponse({ type: LogProofDto })
  @ApiProblems(claimNotLogged)
  ofPacket(
    @IdParam('redPacketId') redPacketId: string,
    @CurrentCaller() caller: Caller,
  ): Promise<LogProofDto> {
    return this.log.ofPacket(redPacketId, caller.userId);
  }
}
