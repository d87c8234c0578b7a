import { once } from 'node:events';
import { Redis } from 'ioredis';
import { type Engine } from '../../src/dev/engines';
import { PasswordTries } from '../../src/extensions/audience/password-tries';
import { digestOf } from '../../src/extensions/audience/password';
import { Chance } from '../faults/chance';
import { startTestRedis } from '../harness/engines';

const NOW_MS = 3_600_000;

let engine: Engine;
/** They have no time limits, so that a busy machine does not look like an outage. */
let connections: Redis[];

beforeAll(async () => {
  engine = await startTestRedis();
  connections = [engine.url, engine.url].map(
    (url) => new Redis(url, { lazyConnect: true, enableOfflineQueue: false }),
  );
  await Promise.all(connections.map((redis) => redis.connect()));
});

afterAll(async () => {
  for (const redis of connections) redis.disconnect();
  await engine.stop();
});

const startTwo = () => connections.map((redis) => new PasswordTries(redis)) as [PasswordTries, PasswordTries];

const begin = async (tries: PasswordTries, user: string) => {
  const attempt = tries.begin(user, NOW_MS);
  await attempt.admission;
  return attempt;
};

/** How many of these wrong tries, one after another, are answered as wrong. */
async function wrong(tries: PasswordTries, user: string, count: number): Promise<number> {
  let answered = 0;
  for (let i = 0; i < count; i++)
    await begin(tries, user)
      .then((attempt) => attempt.fail())
      .then(
        () => (answered += 1),
        () => undefined,
      );
  return answered;
}

const commands = async (work: () => Promise<unknown>): Promise<number> => {
  const processed = async () =>
    Number(/total_commands_processed:(\d+)/.exec(await connections[0]!.info('stats'))![1]);
  const before = await processed();
  await work();
  return (await processed()) - before - 1;
};

it('a right password sends nothing to Redis if its user has sent no wrong one', async () => {
  const [first] = startTwo();
  const right = async () => (await begin(first, 'ann')).succeed();
  expect(
    await commands(async () => {
      for (let i = 0; i < 30; i++) await right();
    }),
  ).toBe(0);
  expect(await wrong(first, 'ann', 1)).toBe(1);
  expect(await commands(right)).toBeGreaterThan(0);
});

it('after ten wrong passwords at another process, a process answers none and then admits nobody', async () => {
  const [first, second] = startTwo();
  expect(await wrong(first, 'bob', 20)).toBe(10);
  expect(await wrong(second, 'bob', 20)).toBe(0);
  await expect(begin(second, 'bob')).rejects.toMatchObject({ code: 'audience.too_many_passwords' });
});

it('a right password among wrong ones counts in neither process', async () => {
  const [first, second] = startTwo();
  expect(await wrong(first, 'cem', 4)).toBe(4);
  expect(await wrong(second, 'cem', 4)).toBe(4);
  for (let i = 0; i < 30; i++) (await begin(i % 2 ? first : second, 'cem')).succeed();
  const held = [await begin(first, 'cem'), await begin(second, 'cem')];
  await expect(begin(first, 'cem')).rejects.toMatchObject({ code: 'audience.too_many_passwords' });
  held.forEach((attempt) => attempt.succeed());
  expect((await wrong(second, 'cem', 9)) + (await wrong(first, 'cem', 9))).toBe(2);
});

it('wrong passwords that were counted while Redis was away are reported afterwards, once', async () => {
  const [first, second] = startTwo();
  const ended = once(connections[0]!, 'end');
  connections[0]!.disconnect();
  await ended;
  expect(await wrong(first, 'dee', 7)).toBe(7);
  (await begin(first, 'dee')).succeed();
  await connections[0]!.connect();
  await first.report();
  await first.report();
  expect(await wrong(second, 'dee', 20)).toBe(3);
});

it('a hundred users with a thousand guesses each over two processes have ten judged each, and do not find a password of six letters', async () => {
  const chance = new Chance('guesses');
  const word = () => Array.from({ length: 6 }, () => chance.pick([...'abcdefghijklmnopqrstuvwxyz'])).join('');
  const password = digestOf(word());
  const processes = startTwo();
  const judged = { wrong: 0, right: 0 };
  const users = Array.from({ length: 100 }, async (_, user) => {
    for (let guess = 0; guess < 1_000; guess++) {
      const attempt = await begin(processes[guess % 2]!, `guesser-${user}`).catch(() => undefined);
      if (attempt === undefined) continue;
      const isRight = digestOf(word()) === password;
      judged[isRight ? 'right' : 'wrong'] += 1;
      if (!isRight) await attempt.fail();
    }
  });
  await Promise.all(users);
  expect(judged).toEqual({ wrong: 1_000, right: 0 });
});
