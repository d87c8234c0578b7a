import { Injectable, Logger } from '@nestjs/common';
import type { Job } from 'bullmq';
import { ForeignRedis, OwnRedis } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { UndeliveredRepository } from './undelivered.repository';
import { type Try, type Webhook, withTry } from './webhook';
import { WebhookDirectory } from './webhook-directory';
import { type DeliveryPayload, type DeliveryResult, GIVEN_UP, WebhookQueues } from './webhook-queues';
import { WebhookSender } from './webhook-sender';

const RECONCILE_MS = 1_000;
const FORGET_MS = 10_000;

/** BullMQ retries a job that throws this, after its backoff. */
class NotDelivered extends Error {}

/** Keeps up with webhooks as they are created and deleted. */
@Injectable()
export class WebhookDeliveries {
  private readonly logger = new Logger('WebhookDeliveries');
  private readonly deliveries;
  private readonly times;

  constructor(
    private readonly directory: WebhookDirectory,
    private readonly queues: WebhookQueues,
    private readonly sender: WebhookSender,
    private readonly undelivered: UndeliveredRepository,
    private readonly config: AppConfig,
    private readonly own: OwnRedis,
    metrics: Metrics,
  ) {
    this.deliveries = metrics.counters({
      name: 'hongbao_webhook_deliveries_total',
      help: 'Attempts to deliver to webhooks by what became of them: delivered, to be tried again, or buried',
      label: 'result',
      values: ['delivered', 'retry', 'buried'],
    });
    this.times = metrics.timings({
      name: 'hongbao_webhook_delivery_duration_seconds',
      help: 'How long one attempt to deliver to a webhook took, by how it ended',
      label: 'result',
      values: ['delivered', 'failed', 'gone'],
    });
  }

  @Repeats('WebhookDeliveries', RECONCILE_MS)
  serve(): Promise<void> {
    const ids = this.own.isForeign ? [] : this.directory.all.map(({ id }) => id);
    return this.queues.serve(ids, (id, job) => this.deliver(this.directory.activeWebhook(id), job));
  }

  @Repeats('EndedDeliveries', FORGET_MS)
  async forgetEnded(): Promise<void> {
    if (this.own.isForeign) return;
    for (const { id } of this.directory.all) await this.queues.forgetEnded(id);
  }

  /** A deleted webhook receives nothing, and its jobs end. */
  private async deliver(
    webhook: Webhook | undefined,
    job: Job<DeliveryPayload>,
  ): Promise<DeliveryResult | undefined> {
    if (!webhook) return undefined;
    if (this.own.isForeign) throw new ForeignRedis();
    const { message, rowId, tries } = job.data;
    const attempt = job.attemptsMade + 1;
    const startMs = performance.now();
    const result = await this.sender.send(webhook, message, secondsOf(job.processedOn!));
    this.times[result.kind].since(startMs);
    const made: Try = {
      at: new Date(job.processedOn!).toISOString(),
      tookMs: Math.round(performance.now() - startMs),
      result: result.kind === 'delivered' ? `answered ${result.status}` : result.error,
    };
    if (result.kind === 'delivered') {
      if (rowId !== undefined) await this.undelivered.delivered(rowId);
      this.deliveries.delivered.inc();
      return made;
    }
    if (result.kind === 'failed' && attempt < this.config.WEBHOOK_ATTEMPTS_MAX) {
      this.deliveries.retry.inc();
      await job.updateData({ ...job.data, tries: withTry(tries, made) });
      throw new NotDelivered(result.error);
    }
    await this.undelivered.bury(webhook.id, message, {
      attempts: attempt,
      lastError: result.error,
      tries: withTry(tries, made),
    });
    this.deliveries.buried.inc();
    this.logger.warn(`Webhook ${webhook.id} did not accept ${message.id}: ${result.error}`);
    return GIVEN_UP;
  }
}

/** Takes `processedOn`, which the worker's clock sets again whenever an attempt begins. */
const secondsOf = (ms: number): number => Math.floor(ms / 1_000);
