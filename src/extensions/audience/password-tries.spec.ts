import type { RedisClient } from '../../../libs/redis-scripts';
import { Problem } from '../../../libs/problem';
import { PasswordTries } from './password-tries';

const MINUTE_MS = 60_000;
const START_MS = 1_000 * MINUTE_MS;

/** Nothing is exchanged here. */
const tries = () => new PasswordTries({} as RedisClient);

const takes = (counted: PasswordTries, user: string, count: number, nowMs: number): (number | undefined)[] =>
  Array.from({ length: count }, () => {
    try {
      counted.take(user, nowMs);
      return undefined;
    } catch (error) {
      return (error as Problem).retryAfterSeconds;
    }
  });

const admitted = (answers: readonly unknown[]) => answers.filter((one) => one === undefined).length;

describe('wrong passwords', () => {
  it('are ten in a minute for each user, and the answer says how long to wait', () => {
    const counted = tries();
    const answers = takes(counted, 'ann', 12, START_MS + 45_000);
    expect(answers).toEqual([...Array<undefined>(10).fill(undefined), 15, 15]);
    expect(admitted(takes(counted, 'bob', 12, START_MS + 45_000))).toBe(10);
  });

  it('are not twenty around the turn of a minute', () => {
    const counted = tries();
    expect(admitted(takes(counted, 'ann', 10, START_MS + MINUTE_MS - 1))).toBe(10);
    expect(admitted(takes(counted, 'ann', 10, START_MS + MINUTE_MS))).toBe(0);
    expect(admitted(takes(counted, 'ann', 10, START_MS + 1.5 * MINUTE_MS))).toBe(5);
    expect(admitted(takes(counted, 'ann', 20, START_MS + 3 * MINUTE_MS))).toBe(10);
  });

  it('that were right are taken back', () => {
    const counted = tries();
    for (let i = 0; i < 50; i++) counted.take('ann', START_MS)();
    expect(admitted(takes(counted, 'ann', 12, START_MS))).toBe(10);
  });

  it('that are many at once are counted before any of them is judged', () => {
    const counted = tries();
    const takeBacks = Array.from({ length: 10 }, () => counted.take('ann', START_MS));
    expect(admitted(takes(counted, 'ann', 1, START_MS))).toBe(0);
    takeBacks.forEach((takeBack) => takeBack());
    expect(admitted(takes(counted, 'ann', 1, START_MS))).toBe(1);
  });
});
