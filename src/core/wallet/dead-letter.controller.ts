import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiPage,
  ApiProblems,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  type Page,
} from '../../platform/http';
import {
  DeadLetterDto,
  DeadLetterQuery,
  REPLAY_EXAMPLES,
  ReplayBody,
  ReplayedDto,
  ResolveBody,
} from './dead-letter.dto';
import { DeadLetterService } from './dead-letter.service';
import { deadLetterNotFound, deadLetterNotOpen } from './wallet.error';

@ApiTags('dead letters')
@Controller('v1/dead-letters')
export class DeadLetterController {
  constructor(private readonly letters: DeadLetterService) {}

  @Get()
  @Allow('inspect')
  @ApiOperation({
    operationId: 'listDeadLetters',
    summary: 'List dead letters',
    description:
      'Claims that could not be paid, newest first. Only open dead letters, unless `status` says otherwise.',
  })
  @ApiPage(DeadLetterDto, 'Dead letters')
  list(@Query() query: DeadLetterQuery): Promise<Page<DeadLetterDto>> {
    return this.letters.list(query);
  }

  @Post('replay')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiExamples(ReplayBody, REPLAY_EXAMPLES)
  @ApiOperation({
    operationId: 'replayDeadLetters',
    summary: 'Replay dead letters by filter',
    description: 'Replays all matching open dead letters, at most 1000 per call, oldest first.',
  })
  @ApiOkResponse({ type: ReplayedDto })
  replayMany(@Body() filter: ReplayBody, @Idempotent() request: IdempotentRequest): Promise<ReplayedDto> {
    return this.letters.replayMany(request, filter);
  }

  @Post(':id/replay')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    operationId: 'replayDeadLetter',
    summary: 'Replay a dead letter',
    description: 'Hands the claim back to settlement. The claim is paid exactly once.',
  })
  @ApiOkResponse({ type: DeadLetterDto })
  @ApiProblems(deadLetterNotFound, deadLetterNotOpen)
  replay(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<DeadLetterDto> {
    return this.letters.replay(request, id);
  }

  @Post(':id/resolve')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiExamples(ResolveBody, {
    'paid by hand': { reason: 'Account closed on request; paid by bank transfer 2031-02-03.' },
  })
  @ApiOperation({
    operationId: 'resolveDeadLetter',
    summary: 'Resolve a dead letter without a payment',
    description:
      'Closes the dead letter with a written reason and without a payment. The money stays in escrow, and the letter ' +
      'can still be replayed or declared void.',
  })
  @ApiOkResponse({ type: DeadLetterDto })
  @ApiProblems(deadLetterNotFound, deadLetterNotOpen)
  resolve(
    @IdParam() id: string,
    @Body() { reason }: ResolveBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<DeadLetterDto> {
    return this.letters.resolve(request, id, reason);
  }
}
