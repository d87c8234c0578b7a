import { Injectable } from '@nestjs/common';
import { within } from '../../../libs/deadline';
import { RecentRefusals, REFUSALS_KEPT_SECONDS } from '../../../libs/redis-scripts';
import { nowSeconds } from '../../platform/http';
import { type Counted, risenSince } from './counted';
import { type RefusalReason, refusalsIn } from './refusals';

const ANSWER_WITHIN_MS = 1_000;

interface Refused {
  readonly atMs: number;
  readonly counts: ReadonlyMap<RefusalReason, number>;
  isShared: boolean;
}

/**
 * Counts refusals of the last minute, from counters that exist anyway. Processes add theirs up in Redis.
 * While Redis is down, which is when most is refused, each keeps its own and shares them later.
 */
@Injectable()
export class RefusalCounts {
  private seen: ReadonlyMap<RefusalReason, number> = new Map();
  private own: Refused[] = [];

  constructor(private readonly recent: RecentRefusals) {}

  look(counted: Counted, nowMs: number): void {
    const now = refusalsIn(counted);
    const counts = risenSince(this.seen, now);
    this.seen = now;
    this.own = this.own.filter(({ atMs }) => nowMs - atMs < REFUSALS_KEPT_SECONDS * 1_000);
    if (counts.size > 0) this.own.push({ atMs: nowMs, counts, isShared: false });
  }

  async share(): Promise<void> {
    for (const refused of this.own.filter(({ isShared }) => !isShared)) {
      await this.recent.add(refused.atMs, refused.counts);
      refused.isShared = true;
    }
  }

  /** Only those of this process while Redis is down. */
  async lastMinute(): Promise<{ counts: ReadonlyMap<string, number>; ofAllProcesses: boolean }> {
    try {
      const counts = await within(ANSWER_WITHIN_MS, this.recent.lastMinute(nowSeconds() * 1_000));
      return { counts, ofAllProcesses: true };
    } catch {
      return { counts: added(this.own), ofAllProcesses: false };
    }
  }
}

function added(refused: readonly Refused[]): Map<RefusalReason, number> {
  const sums = new Map<RefusalReason, number>();
  for (const { counts } of refused)
    for (const [reason, count] of counts) sums.set(reason, (sums.get(reason) ?? 0) + count);
  return sums;
}
