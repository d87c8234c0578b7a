import { Injectable } from '@nestjs/common';
import { TapTallies } from '../../../../libs/redis-scripts';
import { Repeats } from '../../../platform/schedule';
import type { GrabOutcome } from './grab-outcome';
import { type TapAnswer, type TapListener, TapListeners } from './tap-listeners';

const PUBLISH_EVERY_MS = 1_000;

const TOOK_MS = 'ms';

type What = GrabOutcome['kind'] | typeof TOOK_MS;

/**
 * Counts taps for people who watch a rain. A tap costs two additions here; once a second the sums
 * are added up in Redis, one call per activity. Taps that ended with a problem are not counted.
 */
@Injectable()
export class TapCounts implements TapListener {
  private counts = new Map<string, Map<What, number>>();

  constructor(
    private readonly tallies: TapTallies,
    listeners: TapListeners,
  ) {
    listeners.addListener(this);
  }

  noteTap(activityId: string, answer: TapAnswer, tookMs: number): void {
    if (answer === 'unavailable') return;
    this.count(activityId, answer, 1);
    this.count(activityId, TOOK_MS, tookMs);
  }

  /** Sums that Redis does not accept are kept for the next time. */
  @Repeats('TapCounts', PUBLISH_EVERY_MS, { logs: 'changes' })
  async publish(): Promise<void> {
    const counted = this.counts;
    this.counts = new Map();
    await Promise.all(Array.from(counted, ([activityId, counts]) => this.add(activityId, counts)));
  }

  private async add(activityId: string, counts: ReadonlyMap<What, number>): Promise<void> {
    try {
      const whole = Array.from(counts, ([what, count]) => [what, Math.round(count)] as const);
      await this.tallies.add(activityId, whole);
    } catch (error) {
      for (const [what, count] of counts) this.count(activityId, what, count);
      throw error;
    }
  }

  private count(activityId: string, what: What, count: number): void {
    let counts = this.counts.get(activityId);
    if (!counts) this.counts.set(activityId, (counts = new Map<What, number>()));
    counts.set(what, (counts.get(what) ?? 0) + count);
  }
}
