import { KEY_PREFIX } from './redis-keys';
import type { RedisClient } from './redis-client';
import { repliesOf } from './replies';

const KEY = `${KEY_PREFIX}:{alerts}`;
/** Processes renew what fires once a second. */
const FIRES_FOR_SECONDS = 5;

/** The alerts that fire at any process, for people who watch. Each process renews its own. */
export class AlertBoard {
  constructor(private readonly redis: RedisClient) {}

  async renew(alerts: readonly string[]): Promise<void> {
    if (alerts.length === 0) return;
    const now = await this.now();
    const renewing = this.redis.multi().zadd(KEY, ...alerts.flatMap((alert) => [now, alert]));
    renewing.zremrangebyscore(KEY, '-inf', now - FIRES_FOR_SECONDS);
    repliesOf(await renewing.expire(KEY, 2 * FIRES_FOR_SECONDS).exec());
  }

  async firing(): Promise<string[]> {
    return this.redis.zrangebyscore(KEY, (await this.now()) - FIRES_FOR_SECONDS, '+inf');
  }

  private async now(): Promise<number> {
    return Number((await this.redis.time())[0]);
  }
}
