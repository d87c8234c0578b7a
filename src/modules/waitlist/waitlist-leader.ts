import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { failpoint } from '../../../libs/failpoint';
import { Lease, OwnRedis, WaitingLists } from '../../../libs/redis-scripts';
import { REDIS } from '../../platform/redis';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { ConfirmService } from '../grab';

const LOOK_EVERY_MS = 200;
const LEASE_MS = 2_000;
const ASSIGNED_AT_ONCE = 50;

/**
 * Gives packets that have become free to those who wait for them. One worker at a time does it; should two believe that
 * they are the one, or one die at any moment, it stays right: one script decides who gets which packet, and from then on
 * the packet is a reservation like any other, which the journal remembers until it is confirmed.
 */
@Injectable()
export class WaitlistLeader {
  private readonly logger = new Logger('WaitlistLeader');
  private readonly lease: Lease;
  private readonly assigned;

  constructor(
    @Inject(REDIS) redis: Redis,
    private readonly waitingLists: WaitingLists,
    private readonly own: OwnRedis,
    private readonly confirmations: ConfirmService,
    metrics: Metrics,
  ) {
    this.lease = new Lease(redis, 'waitlist', LEASE_MS);
    this.assigned = metrics.counter({
      name: 'hongbao_waitlist_assigned_total',
      help: 'Packets that this process has given to users who waited for one',
    });
  }

  @Repeats('WaitlistLeader', LOOK_EVERY_MS)
  async serveAll(stopping: AbortSignal): Promise<void> {
    if (this.own.isForeign || !(await this.lease.hold())) return;
    for (const shard of this.waitingLists.keys.shards) {
      for (const activityId of await this.waitingLists.activities(shard)) {
        if (stopping.aborted) return;
        await this.serve(activityId, stopping).catch((error: unknown) =>
          this.logger.warn(`Activity ${activityId}, those who wait are served later: ${String(error)}`),
        );
      }
    }
  }

  /** Until nobody waits for this activity, or nothing is free. Another worker that does the same at this moment does no harm. */
  async serve(activityId: string, stopping: AbortSignal): Promise<void> {
    for (;;) {
      await failpoint('assign.before-draw');
      const reservations = await this.waitingLists.assign(activityId, ASSIGNED_AT_ONCE);
      if (reservations.length === 0) return;
      await failpoint('assign.after-draw');
      await this.confirmations.confirmAll(reservations);
      this.assigned.inc(reservations.length);
      if (stopping.aborted || !(await this.lease.hold())) return;
    }
  }
}
