import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { failpoint } from '../../../libs/failpoint';
import { MessageStream, OwnRedis, type Received, type RedisClient } from '../../../libs/redis-scripts';
import { Sightings } from '../../../libs/sightings';
import { REDIS } from '../../platform/redis';
import { Repeats } from '../../platform/schedule';
import { ENDINGS, Metrics, timed } from '../../platform/telemetry';
import { NotificationChannels } from './notification-channel';
import type { Notification } from './notification';

/** Other workers leave a taken message to its worker for this long. */
const LEASE_MS = 5_000;
const MESSAGES_AT_ONCE = 200;

/** A waiting read is a command, so it has to end before the time-out of commands. */
const WAIT_MS = 500;
const RETRY_MS = 200;
const SWEEP_INTERVAL_MS = 1_000;

/**
 * Pushes published notifications to the channels. Every worker reads all of them and takes those
 * that no worker has taken, so each is pushed once. When a worker dies before it finishes a
 * message, another takes the message after the lease has run out.
 */
@Injectable()
export class NotificationPusher implements OnApplicationShutdown {
  private readonly logger = new Logger('NotificationPusher');
  private readonly taker = randomUUID();
  private taken = 0;
  private readonly receiver: RedisClient;
  private readonly pushed;
  private readonly times;
  private readonly overdue = new Sightings<string>();
  private position?: string;

  constructor(
    @Inject(REDIS) redis: RedisClient,
    private readonly messages: MessageStream,
    private readonly channels: NotificationChannels,
    private readonly own: OwnRedis,
    metrics: Metrics,
  ) {
    this.receiver = redis.duplicate();
    this.receiver.on('error', (error: Error) => this.logger.warn(error.message || error.name));
    this.pushed = metrics.counter({
      name: 'hongbao_notifications_pushed_total',
      help: 'Notifications that this process has pushed to the channels',
    });
    this.times = metrics.timings({
      name: 'hongbao_notification_push_duration_seconds',
      help: 'How long it took to push one batch of notifications to the channels; one that fails is pushed again',
      label: 'result',
      values: ENDINGS,
    });
  }

  onApplicationShutdown(): void {
    this.receiver.disconnect();
  }

  /** Receives new messages. Older ones are overdue, and {@link sweep} takes them. */
  @Repeats('ReceiveMessages', RETRY_MS, { logs: 'changes' })
  async receive(stopping: AbortSignal): Promise<void> {
    while (this.receiver.status === 'ready' && !this.own.isForeign && !stopping.aborted) {
      this.position ??= await this.messages.end();
      const received = await this.messages.readNew(this.receiver, this.position, MESSAGES_AT_ONCE, WAIT_MS);
      if (received.length === 0 || this.own.isForeign) continue;
      this.position = received.at(-1)!.entryId;
      await this.pushUntaken(received);
    }
  }

  /** Takes messages that this process saw a lease ago. Redis's clock does not count. */
  @Repeats('SweepMessages', SWEEP_INTERVAL_MS, { logs: 'changes' })
  async sweep(stopping: AbortSignal): Promise<void> {
    if (this.own.isForeign) return;
    const last = this.overdue.note(await this.messages.end(), LEASE_MS);
    if (last === undefined) return;
    let behind: string | undefined;
    do {
      const overdue = await this.messages.readUpTo(last, MESSAGES_AT_ONCE, behind);
      if (overdue.length > 0) await this.pushUntaken(overdue);
      behind = overdue.at(-1)?.entryId;
    } while (behind !== undefined && !stopping.aborted);
  }

  /**
   * Takes a lease on the messages that no worker has taken, pushes them and finishes them. Messages
   * that were pushed before are only finished.
   */
  private async pushUntaken(received: readonly Received[]): Promise<void> {
    const lease = `${this.taker}.${this.taken++}`;
    const { mine, done } = await this.messages.take(received, lease, LEASE_MS);
    if (mine.length > 0) await this.push(mine);
    await this.messages.finish([...mine, ...done]);
  }

  /** A message that was published twice may come twice in one read. */
  private async push(received: readonly Received[]): Promise<void> {
    await failpoint('push.after-take');
    const once = new Map(received.map((message) => [message.id, message]));
    const notifications = Array.from(once.values(), ({ text }) => JSON.parse(text) as Notification);
    await timed(this.times, () => this.channels.push(notifications));
    await failpoint('push.after-push');
    this.pushed.inc(once.size);
  }
}
