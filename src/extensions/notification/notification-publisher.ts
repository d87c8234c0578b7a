import { Injectable } from '@nestjs/common';
import { ForeignRedis, MessageStream, OwnRedis } from '../../../libs/redis-scripts';
import { type NewsListener, NewsListeners } from '../../core/news';
import { NotificationChannels } from './notification-channel';
import { NotificationBudget } from './notification-budget';
import type { Notification } from './notification';

const PER_CALL_MAX = 500;

/**
 * Publishes notifications of facts. A notification is a hint that spares clients from polling: the
 * truth is in Postgres, and no process waits for one.
 */
@Injectable()
export class NotificationPublisher implements NewsListener {
  constructor(
    private readonly messages: MessageStream,
    private readonly channels: NotificationChannels,
    private readonly budget: NotificationBudget,
    private readonly own: OwnRedis,
    listeners: NewsListeners,
  ) {
    listeners.addListener(this);
  }

  anybodyListens(events: readonly string[]): Promise<boolean> {
    return this.channels.anybodyListens(events);
  }

  /**
   * Publishes the notifications that have a listener, as far as the budget of Redis allows. Channels keep the others.
   * @throws when Redis is down or belongs to another installation, whose users have the same names
   */
  async publish(notifications: readonly Notification[]): Promise<void> {
    if (this.own.isForeign) throw new ForeignRedis();
    for (let start = 0; start < notifications.length; start += PER_CALL_MAX) {
      const page = notifications.slice(start, start + PER_CALL_MAX);
      const wanted = await this.channels.wanted(page);
      const room = this.budget.admit(wanted.length);
      await this.send(wanted.slice(0, room));
      if (room < wanted.length) await this.keep(wanted.slice(room));
    }
  }

  keep(notifications: readonly Notification[]): Promise<void> {
    return this.channels.keep(notifications);
  }

  private async send(notifications: readonly Notification[]): Promise<void> {
    if (notifications.length === 0) return;
    const messages = notifications.map((one) => ({ id: one.id, text: JSON.stringify(one) }));
    this.budget.observe(await this.messages.publish(messages));
  }
}
