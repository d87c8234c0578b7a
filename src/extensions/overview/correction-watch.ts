import { Injectable } from '@nestjs/common';
import { CorrectionLog } from '../../../libs/redis-scripts';
import { type CorrectionKind, correctionsIn } from './corrections';
import { type Counted, risenSince } from './counted';

/** Publishes what this process has corrected since the last time, from metrics that count it anyway. */
@Injectable()
export class CorrectionWatch {
  private seen: ReadonlyMap<CorrectionKind, number> = new Map();

  constructor(private readonly log: CorrectionLog) {}

  /** Corrections that Redis does not accept are sent the next time. */
  async share(counted: Counted): Promise<void> {
    const now = correctionsIn(counted);
    const made = Array.from(risenSince(this.seen, now), ([what, count]) => ({ what, count }));
    if (made.length > 0) await this.log.add(made);
    this.seen = now;
  }
}
