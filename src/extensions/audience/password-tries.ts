import { Inject, Injectable } from '@nestjs/common';
import { limitKey, type RedisClient } from '../../../libs/redis-scripts';
import { nowSeconds } from '../../platform/http';
import { REDIS } from '../../platform/redis';
import { Repeats } from '../../platform/schedule';
import { tooManyPasswords } from './audience.error';

/** Wrong passwords of a user in a minute. */
const TRIES_MAX = 10;

const MINUTE_MS = 60_000;

/** Users whom a process counts in a minute. Further ones may not try: nobody would count them. */
const USERS_MAX = 200_000;

const EXCHANGE_MS = 100;
const USERS_PER_EXCHANGE_MAX = 500;

/**
 * Counts wrong passwords per user, in memory and, ten times a second, together with all other processes by a
 * hash per minute in Redis. No request waits for it. While Redis is down every process counts alone.
 */
@Injectable()
export class PasswordTries {
  private current = new Minute(0);
  private previous = new Minute(-1);

  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  /**
   * Counts a try before it is judged, so that many at once do not pass together.
   * @returns what takes it back if it was right
   * @throws tooManyPasswords
   */
  take(userId: string, nowMs = nowSeconds() * 1_000): () => void {
    this.enter(Math.floor(nowMs / MINUTE_MS));
    const { current, previous } = this;
    const left = 1 - (nowMs % MINUTE_MS) / MINUTE_MS;
    if (current.of(userId) + previous.of(userId) * left >= TRIES_MAX || current.here.size >= USERS_MAX)
      throw tooManyPasswords(`After ${TRIES_MAX} wrong passwords in a minute, wait.`, {
        retryAfterSeconds: Math.ceil((left * MINUTE_MS) / 1_000),
      });
    current.add(userId, 1);
    return () => current.add(userId, -1);
  }

  @Repeats('PasswordTries', EXCHANGE_MS)
  async exchange(): Promise<void> {
    for (const minute of [this.previous, this.current]) await this.exchangeMinute(minute);
  }

  private async exchangeMinute(minute: Minute): Promise<void> {
    const told = minute.takeUntold(USERS_PER_EXCHANGE_MAX);
    if (told.length === 0) return;
    const key = limitKey('password', minute.number);
    const pipeline = this.redis.pipeline();
    for (const { userId, more } of told) pipeline.hincrby(key, userId, more);
    pipeline.pexpire(key, 3 * MINUTE_MS);
    const replies = await pipeline.exec();
    told.forEach(({ userId }, i) => {
      const [error, total] = replies![i]!;
      if (!error) minute.learn(userId, Number(total));
    });
  }

  private enter(number: number): void {
    if (number === this.current.number) return;
    this.previous = number === this.current.number + 1 ? this.current : new Minute(number - 1);
    this.current = new Minute(number);
  }
}

class Minute {
  readonly here = new Map<string, number>();
  private readonly told = new Map<string, number>();
  private readonly elsewhere = new Map<string, number>();
  private readonly untold = new Set<string>();

  constructor(readonly number: number) {}

  of(userId: string): number {
    return (this.here.get(userId) ?? 0) + (this.elsewhere.get(userId) ?? 0);
  }

  add(userId: string, more: 1 | -1): void {
    const here = (this.here.get(userId) ?? 0) + more;
    if (here === 0 && !this.told.has(userId)) this.here.delete(userId);
    else this.here.set(userId, here);
    this.untold.add(userId);
  }

  /** Right passwords, which are taken back at once, mostly leave nothing to tell. */
  takeUntold(countMax: number): { readonly userId: string; readonly more: number }[] {
    const taken: { userId: string; more: number }[] = [];
    for (const userId of this.untold) {
      if (taken.length === countMax) break;
      this.untold.delete(userId);
      const here = this.here.get(userId) ?? 0;
      const more = here - (this.told.get(userId) ?? 0);
      if (more === 0) continue;
      this.told.set(userId, here);
      taken.push({ userId, more });
    }
    return taken;
  }

  /** @param total what all processes have told */
  learn(userId: string, total: number): void {
    this.elsewhere.set(userId, Math.max(0, total - (this.told.get(userId) ?? 0)));
  }
}
