import { Injectable, Logger } from '@nestjs/common';
import { Servers } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { Repeats } from '../../platform/schedule';
import { UndeliveredRepository } from './undelivered.repository';
import type { Webhook } from './webhook';
import { WebhookDirectory } from './webhook-directory';
import { WebhookQueues } from './webhook-queues';
import { WebhookRepository } from './webhook.repository';

const OFFERED_AT_ONCE = 500;

/** A message should leave the queue sooner. Offering it once more does nothing. */
const LOST_AFTER_SECONDS = 60;

/** Every process has noticed a deletion, and ended its deliveries, in this time. */
const DELETED_FOR_SECONDS = 60;
const FORGOTTEN_AT_ONCE = 5_000;

/**
 * Offers messages that wait in Postgres: a queue had no room for them or lost them, or operators replayed
 * them. Also removes deleted webhooks, and dead letters that have not been replayed for a long time.
 */
@Injectable()
export class UndeliveredSweep {
  private readonly logger = new Logger('UndeliveredSweep');

  constructor(
    private readonly directory: WebhookDirectory,
    private readonly queues: WebhookQueues,
    private readonly undelivered: UndeliveredRepository,
    private readonly webhooks: WebhookRepository,
    private readonly servers: Servers,
    private readonly config: AppConfig,
  ) {}

  @Repeats('UndeliveredSweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping: AbortSignal): Promise<void> {
    const webhooks = this.directory.all;
    const rooms = await Promise.all(webhooks.map((webhook) => this.roomOf(webhook)));
    for (const [i, { id }] of webhooks.entries()) {
      if (stopping.aborted) return;
      await this.attempt(id, () => this.offerWaiting(id, Math.min(rooms[i]!, OFFERED_AT_ONCE)));
      await this.attempt(id, () => this.forgetDead(id));
    }
    for (const { id } of await this.webhooks.deletedFor(DELETED_FOR_SECONDS)) {
      if (stopping.aborted) return;
      await this.attempt(id, () => this.takeAway(id));
    }
  }

  /** A queue that does not answer has no room. All share one time-out. */
  private roomOf({ id }: Webhook): Promise<number> {
    return this.queues.room(id).catch(() => 0);
  }

  private async attempt(webhookId: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.logger.error(`Webhook ${webhookId}: ${String(error)}`));
  }

  private async offerWaiting(webhookId: string, room: number): Promise<void> {
    if (room === 0) return;
    const messages = await this.undelivered.takeWaiting(webhookId, room, LOST_AFTER_SECONDS);
    await this.queues.offerAgain(webhookId, messages);
  }

  /** Nobody can bring them back, so they must be old by the clocks of Postgres and of Redis. */
  private async forgetDead(webhookId: string): Promise<void> {
    const redisSeconds = await this.servers.earliestSeconds();
    const { WEBHOOK_DEAD_KEPT_DAYS: keptDays } = this.config;
    await this.undelivered.forgetDead(webhookId, keptDays, FORGOTTEN_AT_ONCE, redisSeconds);
  }

  /** The row goes last, so that the next sweep finds it when a process dies on the way. */
  private async takeAway(webhookId: string): Promise<void> {
    await this.queues.discard(webhookId);
    const forgotten = await this.undelivered.forget(webhookId, FORGOTTEN_AT_ONCE);
    if (forgotten < FORGOTTEN_AT_ONCE) await this.webhooks.remove(webhookId);
  }
}
