import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Patch,
  Post,
  Query,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
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
  ChangeWebhookBody,
  CreatedWebhookDto,
  CreateWebhookBody,
  DeliveryListDto,
  ReplayedMessagesDto,
  ReplayUndeliveredBody,
  TestDataDto,
  TestMessageDto,
  UndeliveredDto,
  WebhookDto,
  WebhookListDto,
  WebhookMessageDto,
} from './webhook.dto';
import { MESSAGE_ID } from './webhook';
import { messageNotFound, tooManyWebhooks, webhookNotFound, webhookQueueAway } from './webhook.error';
import { WebhookService } from './webhook.service';
import { WebhookTrial } from './webhook-trial';

@ApiTags('webhooks')
@ApiExtraModels(TestDataDto)
@Controller('v1/webhooks')
export class WebhookController {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly trial: WebhookTrial,
  ) {}

  @Post()
  @Allow('administer')
  @ApiExamples(CreateWebhookBody, {
    'all events': { url: 'https://partner.example/hongbao' },
    'some events': { url: 'https://partner.example/hongbao', events: ['wallet.credited'] },
  })
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Register a webhook',
    description:
      'The URL receives these events from now on (within two seconds). Each is a POST with `type`, `timestamp` and ' +
      '`data` as JSON, signed according to Standard Webhooks in the headers `webhook-id`, `webhook-timestamp` and ' +
      '`webhook-signature`. A message counts as delivered when the answer is 2xx within the time-out; redirects ' +
      'are not followed. Every message arrives at least once, in no particular order: drop a message whose ' +
      '`webhook-id` has arrived before.',
  })
  @ApiCreatedResponse({ type: CreatedWebhookDto })
  @ApiProblems(tooManyWebhooks, webhookNotFound)
  create(
    @Body() body: CreateWebhookBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<CreatedWebhookDto> {
    return this.webhooks.create(request, body);
  }

  @Get()
  @Allow('inspect')
  @ApiOperation({
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Newest first, without their secrets.',
  })
  @ApiOkResponse({ type: WebhookListDto })
  list(): Promise<WebhookListDto> {
    return this.webhooks.list();
  }

  @Patch(':id')
  @Allow('administer')
  @ApiExamples(ChangeWebhookBody, {
    nothing: {},
    description: { description: 'The shop of our partner' },
    events: { events: ['wallet.credited'] },
  })
  @ApiOperation({
    operationId: 'changeWebhook',
    summary: 'Change a webhook',
    description: 'Fields that are left out stay as they are. For another URL, register another webhook.',
  })
  @ApiOkResponse({ type: WebhookDto })
  @ApiProblems(webhookNotFound)
  change(
    @IdParam() id: string,
    @Body() body: ChangeWebhookBody,
    @CurrentCaller() caller: Caller,
  ): Promise<WebhookDto> {
    return this.webhooks.change(caller, id, body);
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Allow('administer')
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Stops deliveries. Undelivered messages are discarded.',
  })
  @ApiNoContentResponse({ description: 'The webhook is deleted.' })
  @ApiProblems(webhookNotFound)
  delete(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<void> {
    return this.webhooks.delete(caller, id);
  }

  @Post(':id/tests')
  @Allow('administer')
  @ApiOperation({
    operationId: 'testWebhook',
    summary: 'Send a test message',
    description:
      'Sends a message of type `webhook.test`. It is delivered like any other: signed, retried and, in the ' +
      'end, a dead letter. The list of deliveries shows its state.',
  })
  @ApiCreatedResponse({ type: TestMessageDto })
  @ApiProblems(webhookNotFound, webhookQueueAway)
  test(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<TestMessageDto> {
    return this.trial.send(request, id);
  }

  @Get(':id/deliveries')
  @Allow('inspect')
  @ApiOperation({
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries of a webhook',
    description: 'At most 50 in each state, newest first, including those accepted within the last minute.',
  })
  @ApiOkResponse({ type: DeliveryListDto })
  @ApiProblems(webhookNotFound, webhookQueueAway)
  async deliveries(@IdParam() id: string): Promise<DeliveryListDto> {
    return { items: await this.trial.deliveries(id) };
  }

  @Get(':id/messages/:messageId')
  @Allow('inspect')
  @ApiOperation({
    operationId: 'readWebhookMessage',
    summary: 'Read a message of a webhook',
    description: 'What was sent, and the result of each attempt: until it is delivered, and a minute longer.',
  })
  @ApiParam({ name: 'messageId', schema: { type: 'string', pattern: MESSAGE_ID.source } })
  @ApiOkResponse({ type: WebhookMessageDto })
  @ApiProblems(webhookNotFound, messageNotFound, webhookQueueAway)
  message(@IdParam() id: string, @Param('messageId') messageId: string): Promise<WebhookMessageDto> {
    return this.trial.message(id, messageId);
  }

  @Get(':id/dead-letters')
  @Allow('inspect')
  @ApiOperation({
    operationId: 'listWebhookDeadLetters',
    summary: 'List dead letters of a webhook',
    description: 'Newest first.',
  })
  @ApiPage(UndeliveredDto, 'Dead letters')
  @ApiProblems(webhookNotFound)
  deadLetters(@IdParam() id: string, @Query() page: PageQuery): Promise<Page<UndeliveredDto>> {
    return this.webhooks.deadLetters(id, page);
  }

  @Post(':id/dead-letters/replay')
  @HttpCode(HttpStatus.OK)
  @Allow('administer')
  @ApiExamples(ReplayUndeliveredBody, { all: {}, 'by their ids': { ids: ['7', '8'] } })
  @ApiOperation({
    operationId: 'replayWebhookDeadLetters',
    summary: 'Deliver dead letters again',
    description:
      'Retries at most 1000 per call, oldest first. Each message keeps its `webhook-id`. One that fails again ' +
      'becomes a dead letter again.',
  })
  @ApiOkResponse({ type: ReplayedMessagesDto })
  @ApiProblems(webhookNotFound)
  replay(
    @IdParam() id: string,
    @Body() { ids }: ReplayUndeliveredBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<ReplayedMessagesDto> {
    return this.webhooks.replay(request, id, ids);
  }
}
