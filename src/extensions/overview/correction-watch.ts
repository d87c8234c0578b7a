import { Injectable } from '@nestjs/common';
import { CorrectionLog } from '../../../libs/redis-scripts';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { type CorrectionKind, correctionsIn } from './corrections';

const LOOK_EVERY_MS = 1_000;

/** Publishes what this process has corrected since the last look, from metrics that count it anyway. */
@Injectable()
export class CorrectionWatch {
  private seen: ReadonlyMap<CorrectionKind, number> = new Map();

  constructor(
    private readonly log: CorrectionLog,
    private readonly metrics: Metrics,
  ) {}

  /** Corrections that Redis does not take come with the next look. */
  @Repeats('CorrectionWatch', LOOK_EVERY_MS, { logs: 'changes' })
  async logCorrections(): Promise<void> {
    const now = correctionsIn((await this.metrics.read()) as never);
    const corrections = Array.from(now, ([what, count]) => ({
      what,
      count: count - (this.seen.get(what) ?? 0),
    }));
    const made = corrections.filter(({ count }) => count > 0);
    if (made.length > 0) await this.log.add(made);
    this.seen = now;
  }
}
