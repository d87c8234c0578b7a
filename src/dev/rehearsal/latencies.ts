/** Buckets per power of two: quantiles are right within 3 %. */
const PER_DOUBLING = 24;
const LEAST_MS = 0.01;
const BUCKETS = PER_DOUBLING * 27;

/** Counts how long answers took, in the same memory for ten and for a billion. */
export class Latencies {
  private readonly counts = new Uint32Array(BUCKETS);
  private count = 0;

  record(ms: number): void {
    const bucket = Math.ceil(Math.log2(Math.max(ms, LEAST_MS) / LEAST_MS) * PER_DOUBLING);
    this.counts[Math.min(bucket, BUCKETS - 1)]!++;
    this.count++;
  }

  /** 0 if nothing was counted. */
  quantileMs(share: number): number {
    let left = Math.ceil(this.count * share);
    if (left === 0) return 0;
    const bucket = this.counts.findIndex((count) => (left -= count) <= 0);
    return LEAST_MS * 2 ** (bucket / PER_DOUBLING);
  }
}
