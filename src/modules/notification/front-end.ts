import { Injectable } from '@nestjs/common';
import { activityTopic, Inboxes, userTopic } from '../../../libs/redis-scripts';
import type { Notification } from './notification';

/** Where pushed notifications go. */
export abstract class FrontEnd {
  /** Resolves when all have arrived; whoever fails may push all of them again. */
  abstract push(notifications: readonly Notification[]): Promise<void>;
}

/** The event streams of clients, which any API process serves. */
@Injectable()
export class EventStreams extends FrontEnd {
  constructor(private readonly inboxes: Inboxes) {
    super();
  }

  async push(notifications: readonly Notification[]): Promise<void> {
    await this.inboxes.append(
      notifications.map(({ id, event, userId, data }) => ({
        topic: userId === undefined ? activityTopic(data.activityId) : userTopic(userId),
        text: JSON.stringify({ event, data: { messageId: id, ...data } }),
      })),
    );
  }
}
