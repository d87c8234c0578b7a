import { Injectable } from '@nestjs/common';
import { activityTopic, Inboxes, userTopic } from '../../../libs/redis-scripts';
import { type EventName, type Notification, publicDataOf } from './notification';

/** A way by which pushed notifications reach those who want to hear of them. */
export abstract class Channel {
  /** Whether anybody there may want to hear of such events. It is asked before each publication, so it must cost little. */
  abstract anybodyListens(events: readonly EventName[]): Promise<boolean>;

  /** Which of these somebody there may want to hear. What nobody wants is not even published. */
  abstract wanted(notifications: readonly Notification[]): Promise<readonly Notification[]>;

  /** Resolves when all have arrived; after a failure all of them may be pushed again. */
  abstract push(notifications: readonly Notification[]): Promise<void>;
}

/** The event streams of clients, which any API process serves. */
@Injectable()
export class EventStreams extends Channel {
  constructor(private readonly inboxes: Inboxes) {
    super();
  }

  /** A client that listens may hear any event. */
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
  userId === undefined ? activityTopic(data.activityId) : userTopic(userId);

/** All channels together. Those that this module does not know of join by themselves. */
@Injectable()
export class Channels extends Channel {
  private readonly all: Channel[];

  constructor(streams: EventStreams) {
    super();
    this.all = [streams];
  }

  join(channel: Channel): void {
    this.all.push(channel);
  }

  async anybodyListens(events: readonly EventName[]): Promise<boolean> {
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
}
