import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { type Notification, NotificationChannel, NotificationChannels } from '../notification';
import { UndeliveredRepository } from './undelivered.repository';
import { toWebhookMessage, type Webhook, type WebhookMessage } from './webhook';
import { WebhookDirectory } from './webhook-directory';
import { WebhookQueues } from './webhook-queues';

/** {@link WebhookDeliveries} delivers what this hands to the queues. */
@Injectable()
export class WebhookChannel extends NotificationChannel implements OnModuleInit {
  private readonly logger = new Logger('WebhookChannel');

  constructor(
    private readonly channels: NotificationChannels,
    private readonly directory: WebhookDirectory,
    private readonly queues: WebhookQueues,
    private readonly undelivered: UndeliveredRepository,
  ) {
    super();
  }

  onModuleInit(): void {
    this.channels.join(this);
  }

  anybodyListens(events: readonly string[]): Promise<boolean> {
    return Promise.resolve(this.directory.wantsAny(events));
  }

  wanted(notifications: readonly Notification[]): Promise<readonly Notification[]> {
    return Promise.resolve(notifications.filter(({ event }) => this.directory.wantsAny([event])));
  }

  async push(notifications: readonly Notification[]): Promise<void> {
    await Promise.all(this.directory.all.map((webhook) => this.pushTo(webhook, notifications)));
  }

  /** The sweep offers them. */
  override async keep(notifications: readonly Notification[]): Promise<void> {
    for (const webhook of this.directory.all) {
      const messages = messagesTo(webhook, notifications);
      if (messages.length > 0) await this.undelivered.park(webhook.id, messages);
    }
  }

  private async pushTo(webhook: Webhook, notifications: readonly Notification[]): Promise<void> {
    const { id } = webhook;
    const messages = messagesTo(webhook, notifications);
    if (messages.length === 0) return;
    const taken = await this.offer(id, messages);
    if (messages.length > taken) await this.undelivered.park(id, messages.slice(taken));
  }

  /**
   * Returns how many of the first messages the queue took. One that does not answer has no room:
   * queues on other masters must not wait for it.
   */
  private async offer(id: string, messages: readonly WebhookMessage[]): Promise<number> {
    try {
      const room = await this.queues.room(id);
      await this.queues.offer(id, messages.slice(0, room));
      return room;
    } catch (error) {
      this.logger.warn(`Messages to webhook ${id} wait in Postgres: ${String(error)}`);
      return 0;
    }
  }
}

const messagesTo = ({ events }: Webhook, notifications: readonly Notification[]): WebhookMessage[] =>
  notifications.filter(({ event }) => events.includes(event)).map(toWebhookMessage);
