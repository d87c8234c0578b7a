/** More keys than a process serves in a second. Requests of further keys pass uncounted. */
const KEYS_MAX = 200_000;

export interface UnreportedCount {
  readonly second: number;
  readonly key: string;
  readonly admitted: number;
}

/**
 * Counts requests per key in memory and adds the counts of other processes (decision 14). The last second
 * counts in proportion to what is left of it: no key gets its limit twice at the edge of a second.
 */
export class RateLimit {
  private current = new Second(0);
  private previous = new Second(-1);
  private readonly worthTelling: number;

  constructor(readonly perSecond: number) {
    this.worthTelling = Math.ceil(perSecond / 10);
  }

  /**
   * Returns how many more requests are within the limit; below zero if this one is not. A request that counts
   * as more than the limit counts as the limit.
   */
  take(key: string, nowMs = Date.now(), countsAs = 1): number {
    const seconds = nowMs / 1000;
    this.enter(Math.floor(seconds));
    const { current, previous } = this;
    const leftOfPrevious = 1 - (seconds - current.number);
    const count = Math.min(countsAs, this.perSecond);
    const left = Math.floor(this.perSecond - previous.of(key) * leftOfPrevious - current.of(key) - count);
    if (left < 0) return left;
    const before = current.here.get(key) ?? 0;
    const here = before + count;
    if (before > 0 || current.here.size < KEYS_MAX) current.here.set(key, here);
    if (here >= this.worthTelling) current.untold.add(key);
    return left;
  }

  /**
   * Takes the keys that have used a tenth of their limit here, and counts them as reported. Users
   * who tap at human speed never get there, so their requests cost nothing more.
   */
  takeUnreported(countMax: number): UnreportedCount[] {
    return [...this.previous.takeUnreported(countMax), ...this.current.takeUnreported(countMax)];
  }

  /** @param total what all processes together have admitted, with what this one has reported */
  learn({ second, key }: UnreportedCount, total: number): void {
    const counts = [this.current, this.previous].find(({ number }) => number === second);
    counts?.elsewhere.set(key, Math.max(0, total - counts.told.get(key)!));
  }

  private enter(second: number): void {
    if (second === this.current.number) return;
    this.previous = second === this.current.number + 1 ? this.current : new Second(second - 1);
    this.current = new Second(second);
  }
}

class Second {
  readonly here = new Map<string, number>();
  readonly told = new Map<string, number>();
  readonly untold = new Set<string>();
  readonly elsewhere = new Map<string, number>();

  constructor(readonly number: number) {}

  of(key: string): number {
    const here = this.here.get(key) ?? 0;
    return this.elsewhere.size === 0 ? here : here + (this.elsewhere.get(key) ?? 0);
  }

  takeUnreported(countMax: number): UnreportedCount[] {
    const counts: UnreportedCount[] = [];
    for (const key of this.untold) {
      if (counts.length === countMax) break;
      const here = this.here.get(key)!;
      counts.push({ second: this.number, key, admitted: here - (this.told.get(key) ?? 0) });
      this.told.set(key, here);
      this.untold.delete(key);
    }
    return counts;
  }
}
