import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiProblems,
  Idempotent,
  type IdempotentRequest,
  IdParam,
} from '../../platform/http';
import { DeadLetterDto, HoldBody } from './dead-letter.dto';
import { HoldService } from './hold.service';
import { claimNotHeld, claimNotPending } from './wallet.error';

@ApiTags('dead letters')
@Allow('manage-money')
@Controller('v1/claims/:id')
export class HoldController {
  constructor(private readonly holds: HoldService) {}

  @Post('hold')
  @HttpCode(HttpStatus.OK)
  @ApiExamples(HoldBody, { suspicion: { reason: 'Forty wins from one address.' } })
  @ApiOperation({
    operationId: 'holdClaim',
    summary: 'Hold a claim before it is paid',
    description:
      'The claim stays won, and is not paid until it is released or its dead letter is declared void. ' +
      '`GET /v1/dead-letters?reason=held` lists held claims.',
  })
  @ApiOkResponse({ type: DeadLetterDto })
  @ApiProblems(claimNotPending)
  hold(
    @IdParam() id: string,
    @Body() { reason }: HoldBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<DeadLetterDto> {
    return this.holds.hold(request, id, reason);
  }

  @Post('release')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'releaseClaim',
    summary: 'Release a held claim',
    description: 'Hands the claim to settlement, which pays it once.',
  })
  @ApiOkResponse({ type: DeadLetterDto })
  @ApiProblems(claimNotHeld)
  release(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<DeadLetterDto> {
    return this.holds.release(request, id);
  }
}
