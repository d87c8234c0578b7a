import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiPage,
  ApiProblems,
  type Caller,
  CurrentCaller,
  IdParam,
  type Page,
  PageQuery,
} from '../../../platform/http';
import { PayoutDto } from '../book/payout.dto';
import { channelNotFound } from '../channel/channel.error';
import { OUTCOMES_EXAMPLES, OutcomeResultsDto, OutcomesBody } from './reading.dto';
import { ReadingService } from './reading.service';

@ApiTags('payouts')
@Controller('v1')
export class ReadingController {
  constructor(private readonly reading: ReadingService) {}

  @Get('payout-channels/:id/waiting')
  @Allow('read-waiting')
  @ApiOperation({
    operationId: 'listWaitingPayouts',
    summary: 'List payouts that wait for the channel',
    description:
      'Oldest first: those in the state `reserved`. Pay each once under its `id`, and report the outcome. ' +
      'Payouts of frozen wallets are held back, as are all payouts of a paused channel. Those of a channel with a ' +
      'URL are sent to it, and not listed.',
  })
  @ApiPage(PayoutDto, 'Payouts')
  @ApiProblems(channelNotFound)
  waiting(
    @IdParam() id: string,
    @Query() page: PageQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<Page<PayoutDto>> {
    return this.reading.waiting(caller, id, page);
  }

  @Post('payouts/outcomes')
  @HttpCode(HttpStatus.OK)
  @Allow('report-payouts')
  @ApiExamples(OutcomesBody, OUTCOMES_EXAMPLES)
  @ApiOperation({
    operationId: 'reportPayoutOutcomes',
    summary: 'Report the outcomes of payouts',
    description:
      'Posts payments and gives refused amounts back to their wallets. A channel reports only on its own payouts; ' +
      'others are `not-found`. It needs no Idempotency-Key: a repeated report changes nothing. A report that ' +
      'contradicts an earlier one becomes a finding.',
  })
  @ApiOkResponse({ type: OutcomeResultsDto })
  report(@Body() { outcomes }: OutcomesBody, @CurrentCaller() caller: Caller): Promise<OutcomeResultsDto> {
    return this.reading.report(caller, outcomes);
  }
}
