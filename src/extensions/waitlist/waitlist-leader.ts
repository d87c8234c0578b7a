import { Injectable, Logger } from '@nestjs/common';
import { failpoint } from '../../../libs/failpoint';
import { Lease, OwnRedis, type Reservation, WaitingLists } from '../../../libs/redis-scripts';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { ConfirmService } from '../../core/grab';
import { PartsServing } from './parts-serving';

const LOOK_EVERY_MS = 200;
const LEASE_MS = 2_000;
const ASSIGNED_AT_ONCE = 50;

/**
 * Gives packets that have become free to users who wait. One worker at a time does this for a shard. It stays
 * correct if two workers act as the leader, or one dies: one script decides which user gets which packet, and
 * from then on the packet is a reservation like any other, in the journal.
 *
 * The lease of a shard is in that shard: a server that is down holds up only its own packets.
 */
@Injectable()
export class WaitlistLeader {
  private readonly logger = new Logger('WaitlistLeader');
  private readonly leases: readonly Lease[];
  private readonly assigned;

  constructor(
    private readonly waitingLists: WaitingLists,
    private readonly ofParts: PartsServing,
    private readonly own: OwnRedis,
    private readonly confirmations: ConfirmService,
    metrics: Metrics,
  ) {
    const { keys, redis } = own;
    this.leases = keys.shards.map((shard) => new Lease(redis, keys.lease(shard, 'waitlist'), LEASE_MS));
    this.assigned = metrics.counter({
      name: 'hongbao_waitlist_assigned_total',
      help: 'Packets that this process has given to users who waited for one',
    });
  }

  /** @throws the first error of a shard that does not answer, after the others have been served */
  @Repeats('WaitlistLeader', LOOK_EVERY_MS, { logs: 'changes' })
  async serveAll(stopping: AbortSignal): Promise<void> {
    if (this.own.isForeign) return;
    const { shards } = this.waitingLists.keys;
    const looks = await Promise.allSettled(shards.map((shard) => this.waitingLists.activities(shard)));
    for (const [shard, look] of looks.entries())
      if (look.status === 'fulfilled') await this.serveShard(shard, look.value, stopping);
    const failed = looks.find((look) => look.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async serveShard(
    shard: number,
    activityIds: readonly string[],
    stopping: AbortSignal,
  ): Promise<void> {
    for (const activityId of activityIds) {
      if (stopping.aborted || !(await this.leads(shard))) return;
      await this.serve(activityId, stopping).catch((error: unknown) =>
        this.logger.warn(`Users who wait in activity ${activityId} are served later: ${String(error)}`),
      );
    }
  }

  /** A worker that cannot reach the lease does not lead. */
  private leads(shard: number): Promise<boolean> {
    return this.leases[shard]!.hold().catch(() => false);
  }

  /** Serves until no user waits, or no packet is free. Several workers may do so without harm. */
  async serve(activityId: string, stopping: AbortSignal): Promise<void> {
    for (;;) {
      await failpoint('assign.before-draw');
      const reservations = await this.draw(activityId);
      if (reservations.length === 0) return;
      await failpoint('assign.after-draw');
      await this.confirmations.confirmAll(reservations);
      this.assigned.inc(reservations.length);
      if (stopping.aborted || !(await this.leads(this.waitingLists.keys.shardOf(activityId)))) return;
    }
  }

  private async draw(activityId: string): Promise<Reservation[]> {
    const assigned = await this.waitingLists.assign(activityId, ASSIGNED_AT_ONCE);
    return assigned.length > 0 ? assigned : this.ofParts.draw(activityId, ASSIGNED_AT_ONCE);
  }
}
