import type { ApiClient } from '../../../libs/client';

const SAMPLES = 3;

/** The clock that opens rains. A phone's clock may be wrong, and may be changed in the meantime. */
export class ServerClock {
  /** False while it is the clock of the phone. */
  isSet = false;
  private aheadMs = Date.now() - performance.now();

  nowMs(): number {
    return performance.now() + this.aheadMs;
  }

  /** Uses the answer with the shortest round trip; half of that is its age. */
  async sync(api: ApiClient, activityId: string): Promise<void> {
    let shortest = Infinity;
    for (let i = 0; i < SAMPLES; i++) {
      const askedAt = performance.now();
      const { now } = await api.readClock({ activityId });
      const tookMs = performance.now() - askedAt;
      if (tookMs >= shortest) continue;
      shortest = tookMs;
      this.aheadMs = Date.parse(now) - (askedAt + tookMs / 2);
      this.isSet = true;
    }
  }
}
