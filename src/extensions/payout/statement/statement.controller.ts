import { Controller, HttpCode, HttpStatus, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import {
  Allow,
  ApiProblems,
  type Caller,
  CurrentCaller,
  Heavy,
  IdParam,
  streamedBody,
  StreamsBody,
} from '../../../platform/http';
import { channelNotFound } from '../channel/channel.error';
import {
  statementDayOpen,
  statementMalformed,
  statementSuperseded,
  statementTooWrong,
} from './statement.error';
import { StatementQuery, StatementResult } from './statement.dto';
import { StatementService } from './statement.service';

const FORMATS = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' } as const;
const BYTES_MAX = 256 * 1024 * 1024;

@ApiTags('payouts')
@Controller('v1/payout-channels')
export class StatementController {
  constructor(private readonly statements: StatementService) {}

  @Post(':id/statements')
  @HttpCode(HttpStatus.OK)
  @Allow('report-payouts')
  @Heavy(1)
  @StreamsBody(FORMATS)
  @ApiOperation({
    operationId: 'comparePayoutStatement',
    summary: 'Hand in the file of a day',
    description:
      'Compares the payments of a channel with our books, as CSV or NDJSON: `payoutId`, `userId`, `amount`, `state` ' +
      'and `at` of each. It needs no Idempotency-Key: a line has its effect once, and the same file gets the same ' +
      'answer. If the upload breaks off, hand the file in again.',
  })
  @ApiOkResponse({ type: StatementResult })
  @ApiProblems(channelNotFound, statementDayOpen, statementMalformed, statementSuperseded, statementTooWrong)
  take(
    @IdParam() id: string,
    @Query() { day }: StatementQuery,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StatementResult> {
    return streamedBody(request, FORMATS, BYTES_MAX, (bytes, format) =>
      this.statements.take(caller, id, day, format, bytes),
    );
  }
}
