import { Injectable } from '@nestjs/common';
import { eventKeys, Inboxes, MessageStream } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { RedisMemory, type Room } from '../../core/dispenser';

const LOOK_EVERY_MS = 1_000;

/** Notifications are dropped beyond this share of the Redis server's memory: grabs go first. */
const MEMORY_SHARE_MAX = 0.8;

/** Publishing resumes below this share of both limits, so that it does not stop again at once. */
const RESUMES_BELOW = 0.9;

/** A loss is announced for as long as inboxes are kept, so that returning clients learn of it. */
const LOSS_KEPT_MS = 5 * 60_000;

/**
 * Bounds the share of Redis that notifications take: they are dropped before anything else suffers.
 * Clients receive `resync` when the shortage is over, and read the current state from Postgres.
 */
@Injectable()
export class NotificationBudget {
  private readonly dropped;
  private readonly waits;
  private spent = false;
  private waiting = 0;
  private owesResync = false;

  constructor(
    private readonly messages: MessageStream,
    private readonly inboxes: Inboxes,
    private readonly redisMemory: RedisMemory,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.dropped = metrics.counter({
      name: 'hongbao_notifications_dropped_total',
      help: 'Notifications that were not sent, because too many wait or Redis is nearly full',
    });
    this.waits = metrics.gauge({
      name: 'hongbao_notifications_waiting',
      help: 'Notifications that wait in Redis to be pushed; beyond NOTIFICATIONS_MAX they are dropped',
    });
  }

  /** Returns how many of these may be sent. The rest is dropped. */
  admit(count: number): number {
    const room = this.spent ? 0 : Math.max(0, this.config.NOTIFICATIONS_MAX - this.waiting);
    const admitted = Math.min(count, room);
    this.drop(count - admitted);
    return admitted;
  }

  /**
   * At the limit, several processes together may have pushed some messages out of the stream, so a
   * `resync` is due.
   */
  observe(waiting: number): void {
    this.waiting = waiting;
    this.waits.set(waiting);
    const bound = this.spent ? RESUMES_BELOW : 1;
    const tooMany = waiting >= this.config.NOTIFICATIONS_MAX * bound;
    const { memoryShare, refusal } = this.room;
    const tooFull = memoryShare >= MEMORY_SHARE_MAX * bound;
    this.spent = tooMany || tooFull || refusal !== undefined;
    if (tooMany) this.owesResync = true;
  }

  private get room(): Room {
    return this.redisMemory.at(eventKeys.messages);
  }

  private drop(count: number): void {
    if (count === 0) return;
    this.dropped.inc(count);
    this.owesResync = true;
  }

  @Repeats('NotificationBudget', LOOK_EVERY_MS, { logs: 'changes' })
  async measureWaiting(): Promise<void> {
    this.observe(await this.messages.waiting());
    if (this.room.refusal !== undefined) this.drop(await this.messages.drop());
    if (this.spent || !this.owesResync) return;
    await this.inboxes.tellLoss(LOSS_KEPT_MS);
    this.owesResync = false;
  }
}
