import { Injectable } from '@nestjs/common';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { UNDELIVERED_STATUSES, UndeliveredRepository } from './undelivered.repository';
import { WebhookDirectory } from './webhook-directory';
import { WebhookQueues } from './webhook-queues';

const LOOK_EVERY_MS = 5_000;

@Injectable()
export class WebhookWatch {
  private readonly waiting;
  private readonly undelivered;

  constructor(
    private readonly directory: WebhookDirectory,
    private readonly queues: WebhookQueues,
    private readonly messages: UndeliveredRepository,
    metrics: Metrics,
  ) {
    this.waiting = metrics.gauge({
      name: 'hongbao_webhook_queue_jobs',
      help: 'Messages to webhooks that wait in Redis for their first attempt or the next one',
    });
    this.undelivered = metrics.gauges({
      name: 'hongbao_webhook_undelivered_messages',
      help: 'Messages to webhooks in Postgres: those that wait for room in Redis, and dead letters',
      label: 'status',
      values: UNDELIVERED_STATUSES,
    });
  }

  @Repeats('WebhookWatch', LOOK_EVERY_MS, { logs: 'changes' })
  async countMessages(): Promise<void> {
    const counts = await this.messages.counts();
    for (const status of UNDELIVERED_STATUSES) this.undelivered[status].set(counts[status]);
    const waiting = await Promise.all(this.directory.all.map(({ id }) => this.queues.waiting(id)));
    this.waiting.set(waiting.reduce((sum, count) => sum + count, 0));
  }
}
