import Redis from 'ioredis';
import type { Problem } from '../../../libs/problem';
import { PasswordTries } from './password-tries';

const MINUTE_MS = 60_000;
const START_MS = 1_000 * MINUTE_MS;

/** Nothing listens there. */
const nowhere = new Redis({
  port: 1,
  lazyConnect: true,
  enableOfflineQueue: false,
  retryStrategy: () => null,
});
nowhere.on('error', () => undefined);

const alone = () => new PasswordTries(nowhere);

/** Wrong tries, one after another. Each answers undefined, or how long to wait. */
async function fails(counted: PasswordTries, user: string, count: number, nowMs: number) {
  const answers: (number | undefined)[] = [];
  for (let i = 0; i < count; i++)
    try {
      const attempt = counted.begin(user, nowMs);
      await attempt.admission;
      await attempt.fail();
      answers.push(undefined);
    } catch (error) {
      answers.push((error as Problem).retryAfterSeconds);
    }
  return answers;
}

const admitted = (answers: readonly unknown[]) => answers.filter((one) => one === undefined).length;

describe('without Redis, wrong passwords', () => {
  it('are limited to ten a minute for each user, and the answer says how long to wait', async () => {
    const counted = alone();
    const answers = await fails(counted, 'ann', 12, START_MS + 45_000);
    expect(answers).toEqual([...Array<undefined>(10).fill(undefined), 15, 15]);
    expect(admitted(await fails(counted, 'bob', 12, START_MS + 45_000))).toBe(10);
  });

  it('cannot reach twenty around the turn of a minute', async () => {
    const counted = alone();
    expect(admitted(await fails(counted, 'ann', 10, START_MS + MINUTE_MS - 1))).toBe(10);
    expect(admitted(await fails(counted, 'ann', 10, START_MS + MINUTE_MS))).toBe(0);
    expect(admitted(await fails(counted, 'ann', 10, START_MS + 1.5 * MINUTE_MS))).toBe(5);
    expect(admitted(await fails(counted, 'ann', 20, START_MS + 3 * MINUTE_MS))).toBe(10);
  });

  it('are the only ones counted: right passwords are not', async () => {
    const counted = alone();
    for (let i = 0; i < 50; i++) counted.begin('ann', START_MS).succeed();
    expect(admitted(await fails(counted, 'ann', 12, START_MS))).toBe(10);
  });

  it('sent all at once are counted before any of them is judged', async () => {
    const counted = alone();
    const attempts = Array.from({ length: 10 }, () => counted.begin('ann', START_MS));
    for (const { admission } of attempts) await admission;
    expect(admitted(await fails(counted, 'ann', 1, START_MS))).toBe(0);
    attempts.forEach((attempt) => attempt.succeed());
    expect(admitted(await fails(counted, 'ann', 1, START_MS))).toBe(1);
  });
});
