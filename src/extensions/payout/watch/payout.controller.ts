import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiPage,
  ApiProblems,
  type Caller,
  CountsAs,
  CurrentCaller,
  ID_OF_NOTHING,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  InTurn,
  type Page,
} from '../../../platform/http';
import { ApiSecondPerson, type PendingDeed } from '../../../core/second-person';
import { insufficientFunds, walletFrozen } from '../../../core/wallet';
import { FindingService } from './finding.service';
import { OutcomeService } from './outcome.service';
import {
  AskForPayoutBody,
  EndedFindingsDto,
  EndFindingBody,
  FindingDto,
  FindingsQuery,
  MyPayoutsQuery,
  OutcomeResultsDto,
  OUTCOMES_EXAMPLES,
  OutcomesBody,
  PayoutDto,
  PayoutsQuery,
  PayoutStoryDto,
  ResolvePayoutBody,
} from '../book/payout.dto';
import {
  aboveLargest,
  belowSmallest,
  channelHeld,
  channelNotCalled,
  channelNotFound,
  channelPaused,
  findingEnded,
  findingNotFound,
  ownPayout,
  payoutLimitReached,
  payoutNotFound,
  payoutNotOpen,
  payoutSentAgain,
  statementNotFound,
} from '../channel/payout.error';
import { PayoutEventDto } from './payout-news.dto';
import { PayoutService } from './payout.service';

@ApiTags('payouts')
@ApiExtraModels(PayoutEventDto)
@Controller('v1')
export class PayoutController {
  constructor(
    private readonly payouts: PayoutService,
    private readonly outcomes: OutcomeService,
    private readonly findings: FindingService,
  ) {}

  @Post('me/payouts')
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
  @ApiProblems(insufficientFunds, walletFrozen)
  ask(@Body() body: AskForPayoutBody, @Idempotent() request: IdempotentRequest): Promise<PayoutDto> {
    return this.payouts.ask(request, body);
  }

  @Get('me/payouts')
  @InTurn(10)
  @Allow('play')
  @ApiOperation({ operationId: 'listMyPayouts', summary: 'List my payouts', description: 'Newest first.' })
  @ApiPage(PayoutDto, 'Payouts')
  mine(@Query() query: MyPayoutsQuery, @CurrentCaller() { userId }: Caller): Promise<Page<PayoutDto>> {
    return this.payouts.list({ ...query, userId });
  }

  @Get('payouts')
  @Allow('inspect')
  @ApiOperation({ operationId: 'listPayouts', summary: 'List payouts', description: 'Newest first.' })
  @ApiPage(PayoutDto, 'Payouts')
  list(@Query() query: PayoutsQuery): Promise<Page<PayoutDto>> {
    return this.payouts.list(query);
  }

  @Get('payouts/:id')
  @Allow('inspect')
  @ApiOperation({ operationId: 'readPayout', summary: 'Read a payout with its story' })
  @ApiOkResponse({ type: PayoutStoryDto })
  @ApiProblems(payoutNotFound)
  read(@IdParam() id: string): Promise<PayoutStoryDto> {
    return this.payouts.read(id);
  }

  @Post('payouts/outcomes')
  @HttpCode(HttpStatus.OK)
  @Allow('report-payouts')
  @ApiExamples(OutcomesBody, OUTCOMES_EXAMPLES)
  @ApiOperation({
    operationId: 'reportPayoutOutcomes',
    summary: 'Report what became of payouts',
    description:
      'Posts payments and gives refused amounts back to their wallets. A channel reports about its own payouts ' +
      'only; others are `not-found`. It needs no Idempotency-Key: a repeated ' +
      'report changes nothing. A report that contradicts an earlier one becomes a finding.',
  })
  @ApiOkResponse({ type: OutcomeResultsDto })
  report(@Body() { outcomes }: OutcomesBody, @CurrentCaller() caller: Caller): Promise<OutcomeResultsDto> {
    return this.outcomes.report(caller, outcomes);
  }

  @Post('payouts/:id/resolve')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiExamples(ResolvePayoutBody, {
    paid: { outcome: 'paid', evidence: 'Bank statement 2031-02-03, line 17.' },
    refused: { outcome: 'refused', evidence: 'The bank has no such transfer: letter of 2031-02-04.' },
  })
  @ApiOperation({
    operationId: 'resolvePayout',
    summary: 'Resolve a payout without its channel',
    description:
      'Says how a payout ended that the channel does not report, with the evidence. A second person has to approve ' +
      'it before anything changes, and neither may be its user.',
  })
  @ApiOkResponse({ type: PayoutDto })
  @ApiSecondPerson({})
  @ApiProblems(payoutNotFound, payoutNotOpen, payoutSentAgain, ownPayout)
  resolve(
    @IdParam() id: string,
    @Body() body: ResolvePayoutBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<PayoutDto | PendingDeed> {
    return this.outcomes.askToResolve(request, id, body);
  }

  @Post('payouts/:id/retry')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    operationId: 'retryPayout',
    summary: 'Ask the channel of a payout now',
    description:
      'Shortens the wait of a payout whose channel is called. What may have been sent is asked for, and never ' +
      'paid again because of this request. While the channel is not called at all, the answer says why.',
  })
  @ApiOkResponse({ type: PayoutDto })
  @ApiProblems(payoutNotFound, payoutNotOpen, ownPayout, channelNotCalled, channelHeld)
  retry(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<PayoutDto> {
    return this.payouts.retry(request, id);
  }

  @Get('payout-findings')
  @Allow('inspect')
  @ApiOperation({
    operationId: 'listPayoutFindings',
    summary: 'List findings',
    description:
      'Disagreements between our books and a channel’s, newest first. Only open ones, unless `state` says ' +
      'otherwise. `verify` fails while one is open.',
  })
  @ApiPage(FindingDto, 'Findings')
  listFindings(@Query() query: FindingsQuery): Promise<Page<FindingDto>> {
    return this.findings.list(query);
  }

  @Post('payout-findings/:id/own')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    operationId: 'ownPayoutFinding',
    summary: 'Take a finding on',
    description: 'The caller becomes its owner, in place of anybody else.',
  })
  @ApiOkResponse({ type: FindingDto })
  @ApiProblems(findingNotFound, findingEnded, ownPayout)
  ownFinding(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<FindingDto> {
    return this.findings.own(request, id);
  }

  @Post('payout-findings/:id/end')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiExamples(EndFindingBody, { 'paid back': { resolution: 'Paid back by the user on 2031-02-04.' } })
  @ApiOperation({
    operationId: 'endPayoutFinding',
    summary: 'End a finding',
    description: 'Moves no money: it records what was done about it. The user of the payout cannot end it.',
  })
  @ApiOkResponse({ type: FindingDto })
  @ApiProblems(findingNotFound, findingEnded, ownPayout)
  endFinding(
    @IdParam() id: string,
    @Body() { resolution }: EndFindingBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<FindingDto> {
    return this.findings.end(request, id, resolution);
  }

  @Post('payout-statements/:id/end-findings')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    operationId: 'endFindingsOfStatement',
    summary: 'End all findings that a file has made',
    description:
      'For a file that was wrong as a whole: `id` is the `statementId` of its findings. Moves no money. It lets a ' +
      'channel go on that `never-sent` holds, so find out first that none of its lines is a payment. Findings about ' +
      'payouts of the caller stay open.',
  })
  @ApiOkResponse({ type: EndedFindingsDto })
  @ApiProblems(statementNotFound)
  @ApiExamples(EndFindingBody, {
    'another file': { resolution: 'The file of another day was handed in by mistake.' },
  })
  endFindingsOfFile(
    @IdParam() id: string,
    @Body() { resolution }: EndFindingBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<EndedFindingsDto> {
    return this.findings.endOfFile(request, id, resolution);
  }
}
