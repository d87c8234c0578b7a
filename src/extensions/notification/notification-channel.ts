import { Injectable } from '@nestjs/common';
import { activityTopic, Inboxes, userTopic } from '../../../libs/redis-scripts';
import { type Notification, publicDataOf } from './notification';

/** A path on which pushed notifications reach their listeners. */
export abstract class NotificationChannel {
  /** True when there may be a listener. Called before each publication, so it must cost little. */
  abstract anybodyListens(events: readonly string[]): Promise<boolean>;

  /** The notifications that may have a listener here. The others are not published. */
  abstract wanted(notifications: readonly Notification[]): Promise<readonly Notification[]>;

  /** Resolves when all have arrived. After a failure all of them may be pushed again. */
  abstract push(notifications: readonly Notification[]): Promise<void>;

  /** Keeps notifications that were not published, without Redis. By default none: each is a hint. */
  keep(_notifications: readonly Notification[]): Promise<void> {
    return Promise.resolve();
  }
}

@Injectable()
export class EventStreams extends NotificationChannel {
  constructor(private readonly inboxes: Inboxes) {
    super();
  }

  /** A connected client may receive any event. */
  anybodyListens(): Promise<boolean> {
    return this.inboxes.anyOpen();
  }

  async wanted(notifications: readonly Notification[]): Promise<readonly Notification[]> {
    const topics = notifications.map(topicOf);
    const open = await this.inboxes.openAmong(topics);
    return notifications.filter((_, i) => open.has(topics[i]!));
  }

  async push(notifications: readonly Notification[]): Promise<void> {
    await this.inboxes.append(
      notifications.map((notification) => {
        const { event } = notification;
        const text = JSON.stringify({ event, data: publicDataOf(notification) });
        return { topic: topicOf(notification), text };
      }),
    );
  }
}

const topicOf = ({ userId, data }: Notification): string =>
  userId === undefined ? activityTopic(data.activityId!) : userTopic(userId);

/** All channels as one. Channels of other modules register themselves here. */
@Injectable()
export class NotificationChannels extends NotificationChannel {
  private readonly all: NotificationChannel[];

  constructor(streams: EventStreams) {
    super();
    this.all = [streams];
  }

  join(channel: NotificationChannel): void {
    this.all.push(channel);
  }

  async anybodyListens(events: readonly string[]): Promise<boolean> {
    const answers = await Promise.all(this.all.map((one) => one.anybodyListens(events)));
    return answers.includes(true);
  }

  async wanted(notifications: readonly Notification[]): Promise<readonly Notification[]> {
    const answers = await Promise.all(this.all.map((one) => one.wanted(notifications)));
    const wanted = new Set(answers.flat());
    return notifications.filter((notification) => wanted.has(notification));
  }

  async push(notifications: readonly Notification[]): Promise<void> {
    await Promise.all(this.all.map((one) => one.push(notifications)));
  }

  override async keep(notifications: readonly Notification[]): Promise<void> {
    await Promise.all(this.all.map((one) => one.keep(notifications)));
  }
}
