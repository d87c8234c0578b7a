import { Injectable, Logger } from '@nestjs/common';
import { MessageStream } from '../../../libs/redis-scripts';
import { Channels } from './channel';
import { NotificationBudget } from './notification-budget';
import type { EventName, Notification } from './notification';

const PER_CALL_MAX = 500;

/**
 * Says what has happened, after it has happened. A notification is a hint that spares clients from asking: the truth is
 * in Postgres, and nobody waits for this.
 */
@Injectable()
export class NotificationPublisher {
  private readonly logger = new Logger('NotificationPublisher');

  constructor(
    private readonly messages: MessageStream,
    private readonly channels: Channels,
    private readonly budget: NotificationBudget,
  ) {}

  /** Whether it is worthwhile to find out what could be published of these events. */
  anybodyListens(...events: EventName[]): Promise<boolean> {
    return this.channels.anybodyListens(events);
  }

  /**
   * Publishes what somebody wants to hear of it, unless Redis needs its room for other things.
   *
   * @throws when Redis is away
   */
  async publish(notifications: readonly Notification[]): Promise<void> {
    for (let start = 0; start < notifications.length; start += PER_CALL_MAX) {
      const page = notifications.slice(start, start + PER_CALL_MAX);
      const wanted = await this.channels.wanted(page);
      await this.send(wanted.slice(0, this.budget.admit(wanted.length)));
    }
  }

  private async send(notifications: readonly Notification[]): Promise<void> {
    if (notifications.length === 0) return;
    const messages = notifications.map((one) => ({ id: one.id, text: JSON.stringify(one) }));
    this.budget.observe(await this.messages.publish(messages));
  }

  /** The same for callers that have something more important to do. */
  async publishOrLeave(notifications: readonly Notification[]): Promise<void> {
    await this.publish(notifications).catch((error: unknown) =>
      this.logger.warn(`${notifications.length} notifications are not sent: ${String(error)}`),
    );
  }
}
