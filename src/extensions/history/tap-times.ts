/** Each limit is √2 of the one below it, from half a millisecond to 23 seconds. */
const LOWEST_MS = 0.5;
const STEPS_PER_DOUBLING = 2;

export const TIME_BUCKETS = 32;

const limitMs = (bucket: number): number => LOWEST_MS * 2 ** (bucket / STEPS_PER_DOUBLING);

/** The bucket of a time; the last one has all longer times. */
export function bucketOf(ms: number): number {
  if (ms <= LOWEST_MS) return 0;
  return Math.min(TIME_BUCKETS - 1, Math.ceil(STEPS_PER_DOUBLING * Math.log2(ms / LOWEST_MS)));
}

/**
 * The time within which this share of the answers came, in milliseconds; null without any. It lies in the right
 * bucket, so above half a millisecond it is off by two fifths at worst.
 * @param counts of each bucket
 */
export function quantileMs(counts: readonly number[], share: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= share * all) {
      const fromMs = bucket === 0 ? 0 : limitMs(bucket - 1);
      const part = (share * all - below) / count;
      return rounded(fromMs + part * (limitMs(bucket) - fromMs));
    }
    below += count;
  }
  return null;
}

const rounded = (ms: number): number => Number(ms.toFixed(ms < 10 ? 1 : 0));
