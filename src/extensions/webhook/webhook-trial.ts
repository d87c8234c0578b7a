import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { AuditLog } from '../../core/audit';
import { MESSAGE_ID, TEST_EVENT, type Try, type WebhookMessage } from './webhook';
import { UndeliveredRepository } from './undelivered.repository';
import type { DeliveryDto, TestDataDto, TestMessageDto, WebhookMessageDto } from './webhook.dto';
import { messageNotFound, unknownWebhook, webhookQueueAway } from './webhook.error';
import { WebhookQueues } from './webhook-queues';
import { WebhookRepository } from './webhook.repository';

@Injectable()
export class WebhookTrial {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly queues: WebhookQueues,
    private readonly undelivered: UndeliveredRepository,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Tests the path of every other message. A repeated request offers the message under the same id,
   * which a queue that has it ignores.
   * @throws webhookNotFound, webhookQueueAway
   */
  async send(request: IdempotentRequest, id: string): Promise<TestMessageDto> {
    const sent = await this.idempotency.once(request, async (tx) => {
      if (!(await this.webhooks.findWebhook(id, tx))) throw unknownWebhook(id);
      const messageId = `test_${randomUUID()}`;
      await this.audit.record(tx, request.caller, { action: 'webhook.test', id, detail: { messageId } });
      const [row]: [{ at: Date }] = await tx.query('select now() as at');
      return { messageId, at: row.at.toISOString() };
    });
    if (!(await this.webhooks.findWebhook(id))) throw unknownWebhook(id);
    await reached(this.queues.offer(id, [messageOf(id, sent)]));
    return sent;
  }

  /** @throws webhookNotFound, webhookQueueAway */
  async deliveries(id: string): Promise<DeliveryDto[]> {
    if (!(await this.webhooks.findWebhook(id))) throw unknownWebhook(id);
    return reached(this.queues.recent(id));
  }

  /**
   * A message of a webhook, wherever it is now.
   * @throws webhookNotFound, messageNotFound, webhookQueueAway
   */
  async message(id: string, messageId: string): Promise<WebhookMessageDto> {
    if (!(await this.webhooks.findWebhook(id))) throw unknownWebhook(id);
    const unknown = () => messageNotFound(`Webhook ${id} has no such message, or accepted it a while ago.`);
    if (!MESSAGE_ID.test(messageId)) throw unknown();
    const row = await this.undelivered.find(id, messageId);
    if (row?.status === 'dead') return viewOf({ ...row, state: 'dead', deadLetterId: row.rowId });
    const queued = await reached(this.queues.find(id, messageId, row?.attempts));
    if (queued) return viewOf({ ...queued, id: messageId, deadLetterId: null });
    if (row) return viewOf({ ...row, state: 'waiting', deadLetterId: null });
    throw unknown();
  }
}

interface Whole extends Pick<WebhookMessageDto, 'state' | 'deadLetterId' | 'event' | 'body' | 'attempts'> {
  readonly id: string;
  readonly tries: readonly Try[];
}

const viewOf = ({ id, event, state, attempts, deadLetterId, body, tries }: Whole): WebhookMessageDto => ({
  messageId: id,
  event,
  state,
  attempts,
  deadLetterId,
  body,
  tries: [...tries],
});

function messageOf(webhookId: string, { messageId, at }: TestMessageDto): WebhookMessage {
  const data: TestDataDto = { messageId, webhookId, at };
  return {
    id: messageId,
    event: TEST_EVENT,
    body: JSON.stringify({ type: TEST_EVENT, timestamp: at, data }),
  };
}

const reached = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((cause: unknown) => {
    throw webhookQueueAway('Redis, which holds the queue, did not answer; try again.', {
      retryAfterSeconds: 1,
      cause,
    });
  });
