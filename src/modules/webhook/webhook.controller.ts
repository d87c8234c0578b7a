import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  Allow,
  ApiPage,
  ApiProblems,
  type Caller,
  CurrentCaller,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  type Page,
  PageQuery,
} from '../../platform/http';
import {
  CreatedWebhookDto,
  CreateWebhookBody,
  DeliveryListDto,
  ReplayedMessagesDto,
  ReplayUndeliveredBody,
  TestMessageDto,
  UndeliveredDto,
  WebhookListDto,
} from './webhook.dto';
import { tooManyWebhooks, webhookNotFound, webhookQueueAway } from './webhook.error';
import { WebhookService } from './webhook.service';
import { WebhookTrial } from './webhook-trial';

@ApiTags('webhooks')
@Controller('v1/webhooks')
export class WebhookController {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly trial: WebhookTrial,
  ) {}

  @Post()
  @Allow('administer')
  @ApiOperation({
    summary: 'Register a webhook',
    description:
      'From now on (within two seconds) it hears of these events: a POST with `type`, `timestamp` and `data` as JSON, signed ' +
      'as in Standard Webhooks by the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. Only an answer of ' +
      '2xx within the time-out counts, and no redirect is followed. Every message comes at least once, in no certain ' +
      'order: drop a message whose `webhook-id` came before.',
  })
  @ApiCreatedResponse({ type: CreatedWebhookDto })
  @ApiProblems(tooManyWebhooks, webhookNotFound)
  create(
    @Body() body: CreateWebhookBody,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<CreatedWebhookDto> {
    return this.webhooks.create(request, caller, body);
  }

  @Get()
  @Allow('inspect')
  @ApiOperation({ summary: 'All webhooks', description: 'Newest first, without their secrets.' })
  @ApiOkResponse({ type: WebhookListDto })
  list(): Promise<WebhookListDto> {
    return this.webhooks.list();
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Allow('administer')
  @ApiOperation({
    summary: 'Delete a webhook',
    description: 'It hears nothing more, and what it has not heard is thrown away.',
  })
  @ApiNoContentResponse({ description: 'It is gone.' })
  @ApiProblems(webhookNotFound)
  delete(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<void> {
    return this.webhooks.delete(caller, id);
  }

  @Post(':id/tests')
  @Allow('administer')
  @ApiOperation({
    summary: 'Send a test message',
    description:
      'A message of the type `webhook.test` goes the way of all others: it is signed, tried again and, in the end, a dead ' +
      'letter. See the deliveries for what becomes of it.',
  })
  @ApiCreatedResponse({ type: TestMessageDto })
  @ApiProblems(webhookNotFound, webhookQueueAway)
  test(
    @IdParam() id: string,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<TestMessageDto> {
    return this.trial.send(request, caller, id);
  }

  @Get(':id/deliveries')
  @Allow('inspect')
  @ApiOperation({
    summary: 'What is on its way to a webhook',
    description: 'Up to 50 in each state, newest first, and what it has accepted within the last minute.',
  })
  @ApiOkResponse({ type: DeliveryListDto })
  @ApiProblems(webhookNotFound, webhookQueueAway)
  async deliveries(@IdParam() id: string): Promise<DeliveryListDto> {
    return { items: await this.trial.deliveries(id) };
  }

  @Get(':id/dead-letters')
  @Allow('inspect')
  @ApiOperation({ summary: 'Messages that a webhook did not take', description: 'Newest first.' })
  @ApiPage(UndeliveredDto, 'Dead letters')
  @ApiProblems(webhookNotFound)
  deadLetters(@IdParam() id: string, @Query() page: PageQuery): Promise<Page<UndeliveredDto>> {
    return this.webhooks.deadLetters(id, page);
  }

  @Post(':id/dead-letters/replay')
  @HttpCode(HttpStatus.OK)
  @Allow('administer')
  @ApiOperation({
    summary: 'Deliver dead letters again',
    description:
      'At most 1000 a call, oldest first. They keep their `webhook-id`, and what fails again comes back.',
  })
  @ApiOkResponse({ type: ReplayedMessagesDto })
  @ApiProblems(webhookNotFound)
  replay(
    @IdParam() id: string,
    @Body() { ids }: ReplayUndeliveredBody,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<ReplayedMessagesDto> {
    return this.webhooks.replay(request, caller, id, ids);
  }
}
