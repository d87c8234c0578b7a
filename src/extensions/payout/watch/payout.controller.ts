import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiPage,
  ApiProblems,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  type Page,
} from '../../../platform/http';
import { ApiSecondPerson, type PendingDeed } from '../../../core/second-person';
import { ResolvePayoutBody } from '../book/outcome.dto';
import { PayoutDto, PayoutsQuery } from '../book/payout.dto';
import { ownPayout, payoutNotFound, payoutNotOpen, payoutSentAgain } from '../book/payout.error';
import { PayoutLists } from '../book/payout-lists';
import { channelHeld, channelNotCalled } from '../channel/channel.error';
import { PayoutEventDto } from './payout-news.dto';
import { PayoutService } from './payout.service';
import { ResolutionService } from './resolution.service';
import { PayoutStoryDto } from './story.dto';

@ApiTags('payouts')
@ApiExtraModels(PayoutEventDto)
@Controller('v1/payouts')
export class PayoutController {
  constructor(
    private readonly payouts: PayoutService,
    private readonly lists: PayoutLists,
    private readonly resolutions: ResolutionService,
  ) {}

  @Get()
  @Allow('inspect')
  @ApiOperation({ operationId: 'listPayouts', summary: 'List payouts', description: 'Newest first.' })
  @ApiPage(PayoutDto, 'Payouts')
  list(@Query() query: PayoutsQuery): Promise<Page<PayoutDto>> {
    return this.lists.list(query);
  }

  @Get(':id')
  @Allow('inspect')
  @ApiOperation({ operationId: 'readPayout', summary: 'Read a payout with its story' })
  @ApiOkResponse({ type: PayoutStoryDto })
  @ApiProblems(payoutNotFound)
  read(@IdParam() id: string): Promise<PayoutStoryDto> {
    return this.payouts.read(id);
  }

  @Post(':id/resolve')
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
      'Records the outcome of a payout that its channel does not report, with the evidence. A second person has to ' +
      'approve it before anything changes, and neither may be its user.',
  })
  @ApiOkResponse({ type: PayoutDto })
  @ApiSecondPerson({})
  @ApiProblems(payoutNotFound, payoutNotOpen, payoutSentAgain, ownPayout)
  resolve(
    @IdParam() id: string,
    @Body() body: ResolvePayoutBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<PayoutDto | PendingDeed> {
    return this.resolutions.askToResolve(request, id, body);
  }

  @Post(':id/retry')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    operationId: 'retryPayout',
    summary: 'Ask the channel of a payout now',
    description:
      'Shortens the wait of a payout whose channel is called. If it may have been sent, the channel is only asked ' +
      'about it: this request never causes a second payment. While the channel is not called for it, the answer says ' +
      'why, such as a frozen wallet or a day whose allowance is used up.',
  })
  @ApiOkResponse({ type: PayoutDto })
  @ApiProblems(payoutNotFound, payoutNotOpen, ownPayout, channelNotCalled, channelHeld)
  retry(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<PayoutDto> {
    return this.payouts.retry(request, id);
  }
}
