import { KEY_PREFIX } from './redis-keys';
import type { RedisClient } from './redis-client';
import { repliesOf } from './replies';

const KEY = `${KEY_PREFIX}:{corrections}`;
const KEPT_MAX = 50;
const KEPT_SECONDS = 86_400;

/** Corrections of one kind: how many there were, and when. */
export interface Correction {
  readonly at: string;
  readonly what: string;
  readonly count: number;
}

/** The last corrections of all processes, for people who watch. Nothing relies on it. */
export class CorrectionLog {
  constructor(private readonly redis: RedisClient) {}

  async add(corrections: readonly Omit<Correction, 'at'>[]): Promise<void> {
    const [seconds] = await this.redis.time();
    const at = new Date(Number(seconds) * 1_000).toISOString();
    const lines = corrections.map((correction) => JSON.stringify({ at, ...correction }));
    const adding = this.redis.multi().lpush(KEY, ...lines);
    repliesOf(
      await adding
        .ltrim(KEY, 0, KEPT_MAX - 1)
        .expire(KEY, KEPT_SECONDS)
        .exec(),
    );
  }

  /** Returns the newest first. */
  async recent(): Promise<Correction[]> {
    const lines = await this.redis.lrange(KEY, 0, KEPT_MAX - 1);
    return lines.map((line) => JSON.parse(line) as Correction);
  }
}
