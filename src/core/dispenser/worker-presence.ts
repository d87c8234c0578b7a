import { Injectable } from '@nestjs/common';
import { OwnRedis } from '../../../libs/redis-scripts';
import { Repeats } from '../../platform/schedule';

const SIGN_EVERY_MS = 500;
const KEPT_MS = 60_000;

const signKey = ({ keys }: OwnRedis): string => keys.lease(0, 'worker-sign');

/** Shows that a worker runs. All workers renew one key, whose remaining time says when one last did. */
@Injectable()
export class WorkerPresence {
  constructor(private readonly own: OwnRedis) {}

  @Repeats('WorkerPresence', SIGN_EVERY_MS, { logs: 'changes' })
  async sign(): Promise<void> {
    if (!this.own.isForeign) await this.own.redis.set(signKey(this.own), '', 'PX', KEPT_MS);
  }
}

/**
 * Returns the seconds since a worker last signed, which is twice a second; undefined if none has for
 * a minute.
 *
 * @throws if Redis does not answer
 */
export async function workerSeenSecondsAgo(own: OwnRedis): Promise<number | undefined> {
  const remainingMs = await own.redis.pttl(signKey(own));
  return remainingMs < 0 ? undefined : Math.max(0, KEPT_MS - remainingMs) / 1_000;
}
