import type { Schema } from '../../../libs/client';
import type { AnswerKind } from './answers';
import { Latencies } from './latencies';

export type Breakage = NonNullable<Schema<'RehearsalReportBody'>['brokeFirst']>;

/** One in a thousand is what people notice. */
const SHARE_MAX = 0.001;
const SLOW_MS = 1_000;

const BAD: readonly (readonly [AnswerKind, Breakage])[] = [
  ['unanswered', 'unanswered'],
  ['unavailable', 'unavailable'],
  ['rateLimited', 'rate-limited'],
];

/** The answers to the taps of one second. */
export class Second {
  private readonly counts = new Map<AnswerKind, number>();
  private readonly latencies = new Latencies();
  private taps = 0;

  record(kind: AnswerKind, ms: number): void {
    this.taps++;
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    this.latencies.record(ms);
  }

  get breakage(): Breakage | undefined {
    const [, breakage] = BAD.find(([kind]) => (this.counts.get(kind) ?? 0) > this.taps * SHARE_MAX) ?? [];
    return breakage ?? (this.latencies.quantileMs(0.99) > SLOW_MS ? 'slow' : undefined);
  }
}
