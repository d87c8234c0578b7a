import { Injectable } from '@nestjs/common';
import { CorrectionLog } from '../../../libs/redis-scripts';
import { type CorrectionKind, correctionsIn } from './corrections';
import type { Counted } from './counted';

/** Publishes what this process has corrected since the last time, from metrics that count it anyway. */
@Injectable()
export class CorrectionWatch {
  private seen: ReadonlyMap<CorrectionKind, number> = new Map();

  constructor(private readonly log: CorrectionLog) {}

  /** Corrections that Redis does not accept are sent the next time. */
  async share(counted: Counted): Promise<void> {
    const now = correctionsIn(counted);
    const corrections = Array.from(now, ([what, count]) => ({
      what,
      count: count - (this.seen.get(what) ?? 0),
    }));
    const made = corrections.filter(({ count }) => count > 0);
    if (made.length > 0) await this.log.add(made);
    this.seen = now;
  }
}
