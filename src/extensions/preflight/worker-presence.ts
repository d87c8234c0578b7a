import { Injectable } from '@nestjs/common';
import { Lease, OwnRedis } from '../../../libs/redis-scripts';
import { Repeats } from '../../platform/schedule';

const LOOK_EVERY_MS = 1_000;
const LEASE_MS = 5_000;

/** It exists while a worker runs. */
export const presenceKey = ({ keys }: OwnRedis): string => keys.lease(0, 'worker');

/** Shows that a worker runs. All share a lease, which lapses when the last one is gone. */
@Injectable()
export class WorkerPresence {
  private readonly lease: Lease;

  constructor(private readonly own: OwnRedis) {
    this.lease = new Lease(own.redis, presenceKey(own), LEASE_MS);
  }

  @Repeats('WorkerPresence', LOOK_EVERY_MS, { logs: 'changes' })
  async show(): Promise<void> {
    if (!this.own.isForeign) await this.lease.hold();
  }
}
