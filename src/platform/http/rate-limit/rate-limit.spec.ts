import type { AppConfig } from '../../config';
import { RateLimit } from './rate-limit';
import { RateLimits } from './rate-limits';

describe('a rate limit', () => {
  it('admits its number of requests each second, for each key', () => {
    const limit = new RateLimit(2);
    const admitted = (key: string, nowMs: number) => limit.take(key, nowMs) >= 0;
    expect([admitted('a', 1000), admitted('a', 1500), admitted('a', 1999), admitted('b', 1999)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(admitted('a', 3000)).toBe(true);
  });

  it('never admits twice its number for a key across the edge of a second', () => {
    const limit = new RateLimit(10);
    const admitted = (nowMs: number) =>
      Array.from({ length: 20 }, () => limit.take('a', nowMs) >= 0).filter(Boolean);
    expect(admitted(1999)).toHaveLength(10);
    expect(admitted(2001)).toHaveLength(0);
    expect(admitted(2500)).toHaveLength(5);
  });

  it('counts a request with its given weight, but at most as the whole limit', () => {
    const limit = new RateLimit(10);
    expect([limit.take('a', 1000, 7), limit.take('a', 1000, 4), limit.take('a', 1000, 3)]).toEqual([
      3, -1, 0,
    ]);
    expect([limit.take('b', 1000, 99), limit.take('b', 1000)]).toEqual([0, -1]);
    expect(limit.takeUnreported(10)).toEqual([
      { second: 1, key: 'a', admitted: 10 },
      { second: 1, key: 'b', admitted: 10 },
    ]);
  });

  it('counts no more than 200,000 keys per second, and continues to limit those', () => {
    const limit = new RateLimit(1);
    for (let i = 0; i < 200_000; i++) limit.take(`key-${i}`, 1000);
    expect([limit.take('key-7', 1000), limit.take('one more', 1000), limit.take('one more', 1000)]).toEqual([
      -1, 0, 0,
    ]);
    const roomy = new RateLimit(2);
    for (let i = 0; i < 200_000; i++) roomy.take(`key-${i}`, 1000);
    expect([roomy.take('key-7', 1000), roomy.take('key-7', 1000)]).toEqual([0, -1]);
  });

  it('reports a bounded number of keys at once, of the last second as well', () => {
    const limit = new RateLimit(10);
    for (const key of ['a', 'b', 'c']) limit.take(key, 1999);
    limit.take('a', 2000, 2);
    const told = (second: number, key: string, admitted = 1) => ({ second, key, admitted });
    expect(limit.takeUnreported(2)).toEqual([told(1, 'a'), told(1, 'b'), told(2, 'a', 2)]);
    limit.take('a', 2000, 3);
    expect(limit.takeUnreported(2)).toEqual([told(1, 'c'), told(2, 'a', 3)]);
  });

  it('counts what other processes have admitted in the present and the last second, and no longer', () => {
    const limit = new RateLimit(10);
    const learn = (nowMs: number, elsewhere: number) => {
      limit.take('a', nowMs);
      for (const count of limit.takeUnreported(1)) limit.learn(count, count.admitted + elsewhere);
    };
    learn(1000, 4);
    expect(limit.take('a', 1000)).toBe(4);
    learn(2000, 2);
    const late = { second: 1, key: 'a', admitted: 1 };
    limit.learn(late, 6);
    expect(limit.take('a', 2500)).toBe(3);
    expect(limit.take('a', 4000)).toBe(9);
    limit.learn(late, 99);
    expect(limit.take('a', 4000)).toBe(8);
  });

  it('never counts less than this process has admitted, if Redis has lost what was reported', () => {
    const limit = new RateLimit(10);
    limit.take('a', 1000, 4);
    for (const count of limit.takeUnreported(1)) limit.learn(count, 0);
    expect(limit.take('a', 1000)).toBe(5);
  });

  it('does not share the counts of users who tap at human speed', () => {
    const limit = new RateLimit(100);
    for (let i = 0; i < 9; i++) limit.take('a', 1000);
    expect(limit.takeUnreported(10)).toEqual([]);
    limit.take('a', 1000);
    expect(limit.takeUnreported(10)).toEqual([{ second: 1, key: 'a', admitted: 10 }]);
    expect(limit.takeUnreported(10)).toEqual([]);
  });
});

describe('a request of someone without a token', () => {
  afterEach(() => jest.restoreAllMocks());

  const noReply = { header: () => noReply };
  const limitsOf = (perSecond: number) => {
    jest.spyOn(Date, 'now').mockReturnValue(1_000);
    const config = { RATE_LIMIT_ADDRESS_PER_SECOND: perSecond, RATE_LIMIT_USER_PER_SECOND: 1 };
    return new RateLimits(config as AppConfig);
  };

  /** Every request is counted as one when it comes, before its route is known. */
  function isAdmitted(limits: RateLimits, address: string, countsAs: number): boolean {
    try {
      limits.admitAddress(address, noReply, () => false);
      limits.admitStranger(address, noReply, countsAs);
      return true;
    } catch {
      return false;
    }
  }

  it('takes as much from the limit of its address as it counts, and nothing from that of others', () => {
    const limits = limitsOf(25);
    const admitted = ['a', 'a', 'a', 'b'].map((address) => isAdmitted(limits, address, 10));
    expect(admitted).toEqual([true, true, false, true]);
  });

  it('is admitted once a second where it counts as more than the limit', () => {
    const limits = limitsOf(5);
    expect([isAdmitted(limits, 'a', 10), isAdmitted(limits, 'a', 10)]).toEqual([true, false]);
  });
});
