import { Injectable } from '@nestjs/common';
import { TAP_ANSWERS, type TapAnswer, type TapListener, TapListeners } from '../../core/grab';
import { nowSeconds } from '../../platform/http';
import { Metrics } from '../../platform/telemetry';
import { noTaps, type TapMinute } from './tap-minute';
import { bucketOf } from './tap-times';

const MINUTE_SECONDS = 60;

/** About a kilobyte each. Further ones are not counted while Postgres accepts none. */
export const MINUTES_MAX = 2_000;

/**
 * Counts the taps of this process by activity and minute until they are written. A tap costs one map lookup and two
 * additions.
 */
@Injectable()
export class TapMinutes implements TapListener {
  /** The taps of the minute that was last tapped in, by activity. */
  private current = new Map<string, TapMinute>();
  private minute = 0;
  /** The taps of earlier minutes, and those that could not be written. */
  private earlier = new Map<string, TapMinute>();
  private readonly uncounted;

  constructor(listeners: TapListeners, metrics: Metrics) {
    listeners.addListener(this);
    this.uncounted = metrics.counter({
      name: 'hongbao_history_taps_uncounted_total',
      help: 'Taps that the history lacks, because this process had too many activities to count for',
    });
  }

  noteTap(activityId: string, answer: TapAnswer, tookMs: number): void {
    const tapped = this.tappedNow(activityId);
    if (!tapped) return this.uncounted.inc();
    tapped.answers[answer] += 1;
    if (answer !== 'unavailable') tapped.times[bucketOf(tookMs)]! += 1;
  }

  /** Returns everything that was counted, and starts over. */
  take(): TapMinute[] {
    this.endMinute();
    const taken = [...this.earlier.values()];
    this.earlier = new Map();
    return taken;
  }

  /** Takes back what could not be written, as far as there is room: others were tapped in the meantime. */
  giveBack(minutes: readonly TapMinute[]): void {
    this.endMinute();
    for (const tapped of minutes) {
      if (this.earlier.size < MINUTES_MAX || this.earlier.has(keyOf(tapped))) this.add(tapped);
      else this.uncounted.inc(tapsOf(tapped));
    }
  }

  private tappedNow(activityId: string): TapMinute | undefined {
    const minute = Math.floor(nowSeconds() / MINUTE_SECONDS);
    if (minute !== this.minute) {
      this.endMinute();
      this.minute = minute;
    }
    const known = this.current.get(activityId);
    if (known || this.current.size + this.earlier.size >= MINUTES_MAX) return known;
    const begun = { activityId, minute, ...noTaps() };
    this.current.set(activityId, begun);
    return begun;
  }

  private endMinute(): void {
    for (const tapped of this.current.values()) this.add(tapped);
    this.current = new Map();
  }

  private add(tapped: TapMinute): void {
    const key = keyOf(tapped);
    const known = this.earlier.get(key);
    if (!known) {
      this.earlier.set(key, tapped);
      return;
    }
    for (const answer of TAP_ANSWERS) known.answers[answer] += tapped.answers[answer];
    for (const [bucket, count] of tapped.times.entries()) known.times[bucket]! += count;
  }
}

const keyOf = ({ activityId, minute }: TapMinute): string => `${activityId}:${minute}`;

const tapsOf = ({ answers }: TapMinute): number =>
  TAP_ANSWERS.reduce((sum, answer) => sum + answers[answer], 0);
