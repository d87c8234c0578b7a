import { Inject, Injectable } from '@nestjs/common';
import { limitKey, type RedisClient } from '../../../libs/redis-scripts';
import type { Attempt } from '../../core/activity';
import { nowSeconds } from '../../platform/http';
import { REDIS } from '../../platform/redis';
import { Repeats } from '../../platform/schedule';
import { tooManyPasswords } from './audience.error';

/** Wrong passwords per user and minute. */
const TRIES_MAX = 10;

const MINUTE_MS = 60_000;

/** A late process may still count in the minute before the previous one. */
const KEPT_MS = 3 * MINUTE_MS;

/** Users whom a process counts in a minute. Further users may not try: nobody would count their tries. */
const USERS_MAX = 200_000;

/** How long a process remembers that Redis has refused a user, and does not ask again. */
const REFUSED_MS = 1_000;

const REPORT_MS = 100;
const USERS_PER_REPORT_MAX = 500;

/**
 * Counts wrong passwords per user, in memory and by a hash per minute in Redis, which all processes share.
 *
 * A crowd sends right passwords, and Redis is not asked about them: a user of whom this process knows no wrong
 * password in this minute and the previous one is judged at once. A wrong password is in Redis before its answer
 * is sent, and from then on each try of the user is counted there before it is judged. So ten are answered as
 * wrong, however many processes there are, and beyond those each process judges at most one.
 *
 * While Redis is down, every process counts alone, and reports its counts afterwards.
 */
@Injectable()
export class PasswordTries {
  private current = new Minute(0);
  private previous = new Minute(-1);

  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  /**
   * Counts a try before it is judged, so that many at once do not pass together.
   * @throws tooManyPasswords
   */
  begin(userId: string, nowMs = nowSeconds() * 1_000): Attempt {
    this.enter(Math.floor(nowMs / MINUTE_MS));
    const { current, previous } = this;
    const one: Try = { userId, current, previous, left: 1 - (nowMs % MINUTE_MS) / MINUTE_MS, nowMs };
    const here = current.of(userId) + previous.of(userId) * one.left;
    if (here >= TRIES_MAX || current.size >= USERS_MAX || current.isRefused(userId, nowMs))
      throw refusal(one);
    const isFirst = !current.knows(userId) && !previous.knows(userId);
    current.add(userId, 1);
    return isFirst ? this.judgedFirst(one) : this.askedFirst(one);
  }

  private judgedFirst(one: Try): Attempt {
    return {
      succeed: () => one.current.add(one.userId, -1),
      fail: async () => {
        if (!(await this.isWithinLimit(one))) throw refusal(one);
      },
    };
  }

  private askedFirst(one: Try): Attempt {
    const admission = this.isWithinLimit(one).then((isWithin) => {
      if (isWithin) return;
      one.current.refuse(one.userId, one.nowMs + REFUSED_MS);
      this.takeBack(one);
      throw refusal(one);
    });
    return { admission, succeed: () => this.takeBack(one), fail: () => Promise.resolve() };
  }

  /** Counts a try in Redis. True if it is within the limit, or Redis does not answer. */
  private async isWithinLimit({ userId, current, previous, left }: Try): Promise<boolean> {
    const pipeline = this.redis.pipeline();
    pipeline.hincrby(keyOf(current), userId, 1).pexpire(keyOf(current), KEPT_MS);
    const replies = await pipeline
      .hget(keyOf(previous), userId)
      .exec()
      .catch(() => null);
    const [counted, , before] = replies ?? [];
    if (!counted || counted[0]) current.owe(userId);
    if (!counted || counted[0] || !before || before[0]) return true;
    return Number(counted[1]) - 1 + Number(before[1]) * left < TRIES_MAX;
  }

  /** A reply that is lost leaves a right password counted, never a wrong one uncounted. */
  private takeBack({ userId, current }: Try): void {
    const isOwed = current.repay(userId);
    current.add(userId, -1);
    if (isOwed) return;
    const pipeline = this.redis.pipeline().hincrby(keyOf(current), userId, -1);
    pipeline
      .pexpire(keyOf(current), KEPT_MS)
      .exec()
      .catch(() => undefined);
  }

  /** Reports the tries that Redis missed while it was down. */
  @Repeats('PasswordTries', REPORT_MS)
  async report(): Promise<void> {
    for (const minute of [this.previous, this.current]) {
      const owed = minute.debts(USERS_PER_REPORT_MAX);
      if (owed.length === 0) continue;
      const pipeline = this.redis.pipeline();
      for (const [userId, count] of owed) pipeline.hincrby(keyOf(minute), userId, count);
      const replies = await pipeline.pexpire(keyOf(minute), KEPT_MS).exec();
      owed.forEach(([userId, count], i) => {
        if (!replies![i]![0]) minute.repay(userId, count);
      });
    }
  }

  private enter(number: number): void {
    if (number === this.current.number) return;
    this.previous = number === this.current.number + 1 ? this.current : new Minute(number - 1);
    this.current = new Minute(number);
  }
}

interface Try {
  readonly userId: string;
  readonly current: Minute;
  readonly previous: Minute;
  /** The share of the previous minute that still counts. */
  readonly left: number;
  readonly nowMs: number;
}

interface UserTries {
  /** Wrong or not judged yet, in this process. */
  here: number;
  /** How many of them Redis does not know. Negative if one turned out to be right while it was reported. */
  owed: number;
  refusedUntilMs: number;
}

class Minute {
  private readonly users = new Map<string, UserTries>();
  private readonly debtors = new Set<string>();

  constructor(readonly number: number) {}

  get size(): number {
    return this.users.size;
  }

  /** A user whose tries were all right is forgotten. */
  knows(userId: string): boolean {
    return this.users.has(userId);
  }

  of(userId: string): number {
    return this.users.get(userId)?.here ?? 0;
  }

  isRefused(userId: string, nowMs: number): boolean {
    const tries = this.users.get(userId);
    return tries !== undefined && nowMs < tries.refusedUntilMs;
  }

  add(userId: string, more: 1 | -1): void {
    const tries = this.triesOf(userId);
    tries.here += more;
    if (tries.here === 0 && tries.owed === 0 && tries.refusedUntilMs === 0) this.users.delete(userId);
  }

  refuse(userId: string, untilMs: number): void {
    this.triesOf(userId).refusedUntilMs = untilMs;
  }

  owe(userId: string): void {
    this.triesOf(userId).owed += 1;
    this.debtors.add(userId);
  }

  /** False if Redis knows all tries of the user. */
  repay(userId: string, count = 1): boolean {
    if (!this.debtors.has(userId)) return false;
    const tries = this.triesOf(userId);
    tries.owed -= count;
    if (tries.owed === 0) this.debtors.delete(userId);
    return true;
  }

  debts(usersMax: number): [userId: string, count: number][] {
    const debts: [string, number][] = [];
    for (const userId of this.debtors) {
      if (debts.length === usersMax) break;
      debts.push([userId, this.triesOf(userId).owed]);
    }
    return debts;
  }

  private triesOf(userId: string): UserTries {
    const known = this.users.get(userId);
    if (known) return known;
    const tries = { here: 0, owed: 0, refusedUntilMs: 0 };
    this.users.set(userId, tries);
    return tries;
  }
}

const keyOf = ({ number }: Minute): string => limitKey('password', number);

const refusal = ({ left }: Try): Error =>
  tooManyPasswords(`After ${TRIES_MAX} wrong passwords in a minute, wait.`, {
    retryAfterSeconds: Math.ceil((left * MINUTE_MS) / 1_000),
  });
