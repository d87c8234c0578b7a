import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Channel, Channels, type EventName, type Notification } from '../notification';
import { UndeliveredRepository } from './undelivered.repository';
import { toWebhookMessage, type Webhook } from './webhook';
import { WebhookDirectory } from './webhook-directory';
import { WebhookQueues } from './webhook-queues';

/** Pushing to webhooks means handing messages to their queues. Delivering them is another matter. */
@Injectable()
export class WebhookChannel extends Channel implements OnModuleInit {
  constructor(
    private readonly channels: Channels,
    private readonly directory: WebhookDirectory,
    private readonly queues: WebhookQueues,
    private readonly undelivered: UndeliveredRepository,
  ) {
    super();
  }

  onModuleInit(): void {
    this.channels.join(this);
  }

  anybodyListens(events: readonly EventName[]): Promise<boolean> {
    return Promise.resolve(this.directory.wantsAny(events));
  }

  wanted(notifications: readonly Notification[]): Promise<readonly Notification[]> {
    return Promise.resolve(notifications.filter(({ event }) => this.directory.wantsAny([event])));
  }

  async push(notifications: readonly Notification[]): Promise<void> {
    await Promise.all(this.directory.all.map((webhook) => this.pushTo(webhook, notifications)));
  }

  private async pushTo({ id, events }: Webhook, notifications: readonly Notification[]): Promise<void> {
    const messages = notifications.filter(({ event }) => events.includes(event)).map(toWebhookMessage);
    if (messages.length === 0) return;
    const room = await this.queues.room(id);
    await this.queues.offer(id, messages.slice(0, room));
    if (messages.length > room) await this.undelivered.park(id, messages.slice(room));
  }
}
