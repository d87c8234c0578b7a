import { STAGGER_MS, staggered } from './staggered';

const NEXT_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const USERS = Array.from({ length: 100_000 }, (_, i) => `user-${i}`);

const comingBack = (nextAtMs: number, closesAtMs = nextAtMs + HOUR_MS): number[] =>
  USERS.map((user) => staggered(user, nextAtMs, closesAtMs));

/** The most taps of any stretch of this length, when all tap at their instant. */
function rush(instants: readonly number[], lengthMs: number): number {
  const counts = new Map<number, number>();
  for (const atMs of instants) {
    const stretch = Math.floor((atMs - NEXT_MS) / lengthMs);
    counts.set(stretch, (counts.get(stretch) ?? 0) + 1);
  }
  return Math.max(...counts.values());
}

describe('the instants at which users are asked to tap again', () => {
  it('reduce the stampede of a common instant to a fifth within a second, and to a five-hundredth within 10 ms', () => {
    const common = USERS.map(() => NEXT_MS);
    expect([rush(common, 1_000), rush(common, 10)]).toEqual([100_000, 100_000]);
    const instants = comingBack(NEXT_MS);
    expect(rush(instants, 1_000)).toBeLessThan(100_000 / 5 + 1_000);
    expect(rush(instants, 10)).toBeLessThan(100_000 / 500 + 100);
    expect(Math.min(...instants)).toBeGreaterThanOrEqual(NEXT_MS);
    expect(Math.max(...instants)).toBeLessThan(NEXT_MS + STAGGER_MS);
  });

  it('are ordered differently for each release, and stay the same when a user asks again', () => {
    const [first, second] = [comingBack(NEXT_MS), comingBack(NEXT_MS + 1)];
    expect(comingBack(NEXT_MS)).toEqual(first);
    const early = (instants: number[], of: number) => instants[of]! % 1e9 < (NEXT_MS % 1e9) + 500;
    const twice = USERS.filter((_, i) => early(first, i) && early(second, i));
    expect(twice.length).toBeLessThan(1_500);
  });

  it('leave three quarters of the time to a late release', () => {
    const last = Math.max(...comingBack(NEXT_MS, NEXT_MS + 1_000));
    expect(last).toBeLessThan(NEXT_MS + 250);
    expect(comingBack(NEXT_MS, NEXT_MS + 3)).toEqual(USERS.map(() => NEXT_MS));
  });
});
