import { KEY_PREFIX } from './redis-keys';
import type { RedisClient } from './redis-client';
import { repliesOf } from './replies';

const SLICE_SECONDS = 5;
/** Not quite a minute: the newest slice is not over. */
const SLICES = 12;
export const REFUSALS_KEPT_SECONDS = SLICE_SECONDS * SLICES;

/** Counts are dated by the clock of the process, so a minute is not exact to the second. */
const sliceOf = (atMs: number): number => Math.floor(atMs / 1_000 / SLICE_SECONDS);
/** All are in one slot. */
const keyOf = (slice: number): string => `${KEY_PREFIX}:{refusals}:${slice}`;

/** The refusals of the last minute, added up over all processes, for people who watch. */
export class RecentRefusals {
  constructor(private readonly redis: RedisClient) {}

  async add(atMs: number, counts: ReadonlyMap<string, number>): Promise<void> {
    const key = keyOf(sliceOf(atMs));
    const adding = this.redis.multi();
    for (const [reason, count] of counts) adding.hincrby(key, reason, count);
    repliesOf(await adding.expire(key, 2 * REFUSALS_KEPT_SECONDS).exec());
  }

  /** Returns the counts of the last minute. A reason without refusals is missing. */
  async lastMinute(nowMs: number): Promise<Map<string, number>> {
    const latest = sliceOf(nowMs);
    const reading = this.redis.pipeline();
    for (let i = 0; i < SLICES; i++) reading.hgetall(keyOf(latest - i));
    const sums = new Map<string, number>();
    for (const slice of repliesOf(await reading.exec()) as Record<string, string>[])
      for (const [reason, count] of Object.entries(slice))
        sums.set(reason, (sums.get(reason) ?? 0) + Number(count));
    return sums;
  }
}
