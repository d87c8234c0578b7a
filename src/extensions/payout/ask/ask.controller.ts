import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiPage,
  ApiProblems,
  busy,
  type Caller,
  CountsAs,
  CurrentCaller,
  ID_OF_NOTHING,
  Idempotent,
  type IdempotentRequest,
  InTurn,
  type Page,
} from '../../../platform/http';
import { insufficientFunds, walletFrozen } from '../../../core/wallet';
import { MyPayoutsQuery, PayoutDto } from '../book/payout.dto';
import { PayoutLists } from '../book/payout-lists';
import { channelNotFound, channelPaused } from '../channel/channel.error';
import { AskForPayoutBody } from './ask.dto';
import { aboveLargest, belowSmallest, payoutLimitReached } from './ask.error';
import { PayoutAsks } from './payout-asks';

@ApiTags('payouts')
@Controller('v1/me/payouts')
export class AskController {
  constructor(
    private readonly asks: PayoutAsks,
    private readonly lists: PayoutLists,
  ) {}

  @Post()
  @CountsAs(20)
  @Allow('play')
  @ApiExamples(AskForPayoutBody, { 'through a channel': { amount: '7.10', channelId: ID_OF_NOTHING } })
  @ApiOperation({
    operationId: 'requestPayout',
    summary: 'Ask for a payout',
    description:
      'Takes the amount from my wallet and pays it out through a channel. A payout beyond `APPROVAL_ABOVE` or ' +
      '`APPROVAL_ABOVE_DAILY` is answered 202: the amount stays in the wallet until a second person has approved it.',
  })
  @ApiCreatedResponse({ type: PayoutDto })
  @ApiAcceptedResponse({ type: PayoutDto, description: 'Its state is `review`.' })
  @ApiProblems(channelNotFound, channelPaused, belowSmallest, aboveLargest, payoutLimitReached)
  @ApiProblems(insufficientFunds, walletFrozen, busy)
  ask(@Body() body: AskForPayoutBody, @Idempotent() request: IdempotentRequest): Promise<PayoutDto> {
    return this.asks.ask(request, body);
  }

  @Get()
  @InTurn(10)
  @Allow('play')
  @ApiOperation({ operationId: 'listMyPayouts', summary: 'List my payouts', description: 'Newest first.' })
  @ApiPage(PayoutDto, 'Payouts')
  mine(@Query() query: MyPayoutsQuery, @CurrentCaller() { userId }: Caller): Promise<Page<PayoutDto>> {
    return this.lists.list({ ...query, userId });
  }
}
