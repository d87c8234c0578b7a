import { Inject, Injectable } from '@nestjs/common';
import { limitKey, type RedisClient } from '../../../../libs/redis-scripts';
import { REDIS } from '../../redis';
import { Repeats } from '../../schedule';
import type { RateLimit } from './rate-limit';
import { RateLimits } from './rate-limits';

const INTERVAL_MS = 100;

/** Bounds one exchange during a flood of users. The rest goes with the next one. */
const KEYS_PER_EXCHANGE_MAX = 500;

/** Longer than any process needs a second's hash, even where clocks differ a little. */
const KEPT_MS = 5_000;

/**
 * Lets all processes count together by a hash per second in Redis. No request waits for it. While
 * Redis is down, every process holds the limit by itself.
 */
@Injectable()
export class SharedCounts {
  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly limits: RateLimits,
  ) {}

  @Repeats('SharedCounts', INTERVAL_MS)
  async exchange(): Promise<void> {
    await Promise.all([
      this.exchangeOne('user', this.limits.user),
      this.exchangeOne('address', this.limits.address),
    ]);
  }

  private async exchangeOne(name: string, limit: RateLimit): Promise<void> {
    const counts = limit.takeUnreported(KEYS_PER_EXCHANGE_MAX);
    if (counts.length === 0) return;
    const pipeline = this.redis.pipeline();
    for (const { second, key, admitted } of counts) pipeline.hincrby(limitKey(name, second), key, admitted);
    for (const second of new Set(counts.map((count) => count.second)))
      pipeline.pexpire(limitKey(name, second), KEPT_MS);
    const replies = await pipeline.exec();
    counts.forEach((count, i) => {
      const [error, total] = replies![i]!;
      if (!error) limit.learn(count, Number(total));
    });
  }
}
