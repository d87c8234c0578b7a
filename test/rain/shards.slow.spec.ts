import { join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { type Engine, Program } from '../../src/dev/engines';
import { createDatabase, redisAppUrl, startTestRedis, type TestDatabase, waitFor } from '../harness/engines';
import { Installation, JWT_SECRET } from '../harness/installation';

let database: TestDatabase;
let engine: Engine;
let redis: Redis;

beforeAll(async () => {
  [database, engine] = await Promise.all([createDatabase(), startTestRedis()]);
  redis = new Redis(engine.url);
});

afterAll(async () => {
  redis.disconnect();
  await Promise.all([database.drop(), engine.stop()]);
});

const places = () => ({ DATABASE_URL: database.appUrl, REDIS_URL: redisAppUrl(engine.url) });

const start = (shards: number): Promise<Installation> =>
  Installation.startWithWorker({ ...places(), SHARD_COUNT: String(shards) });

/** Runs the command as an operator whose installation has `from` shards. */
async function change(from: number, count: string): Promise<{ exitCode: number | null; output: string }> {
  const program = await Program.start({
    name: 'shards',
    command: process.execPath,
    args: [join(resolve('dist', 'commands'), 'shards.js'), '--count', count],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      ...places(),
      MIGRATION_DATABASE_URL: database.url,
      JWT_SECRET,
      SHARD_COUNT: String(from),
    },
    logFile: join(tmpdir(), `hongbao-shards-${process.pid}.log`),
    cwd: tmpdir(),
    stopSignal: 'SIGKILL',
    stopWithinMs: 1_000,
  });
  await program.ended;
  return { exitCode: program.exitCode, output: program.output.trim() };
}

it('npm run shards changes the number of shards while no rain is open, and users do not notice', async () => {
  const before = await start(4);
  const ended = await before.createActivity({ packetCount: 2 });
  const won = await before.win(ended, 'ann');
  expect(await change(8, '16')).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('SHARD_COUNT'),
  });
  const refused = async (reason: string) =>
    expect(await change(4, '8')).toMatchObject({
      exitCode: 1,
      output: `The number of shards was not changed. ${reason}`,
    });
  /** Once the last sign of a worker is old enough. */
  const refusedOnceGone = (reason: string) =>
    waitFor(async () => refused(reason).then(() => true), { what: reason });
  const running = 'A worker still runs, or has just ended: stop all programs, then try again.';
  await refused(running);
  await before.worker!.stop();
  await refusedOnceGone('Activities that have not ended: 1. Close them, or wait for their end.');
  await before.startWorker();
  await before.win(ended, 'bob');

  expect((await before.closeActivity(ended)).status).toBe(200);
  await before.settled(ended);
  await waitFor(async () => (await redis.xlen('rp:{01}:journal')) === 0, {
    what: 'a journal that is decided',
  });
  await before.stop();
  await redis.xadd('rp:{03}:journal', '*', '3', 'cem 1:100');
  await refusedOnceGone('The journal of shard 3 has undecided entries: start a worker, and wait for it.');
  await redis.del('rp:{03}:journal');

  expect(await change(4, '8')).toEqual({
    exitCode: 0,
    output: 'There are 8 shards from now on: set SHARD_COUNT=8 for all programs, and start them.',
  });
  expect(await redis.keys('rp:{0*')).toEqual([]);
  const after = await start(8);
  const again = { code: '1', redPacketId: won.redPacketId, amount: won.amount };
  expect((await after.tap(ended, 'ann')).body).toEqual(again);
  const opened: string[] = [];
  while (opened.length < 8) opened.push(await after.createActivity({ packetCount: 1, totalAmount: '1.00' }));
  for (const id of opened) await after.win(id, 'ann');
  for (const id of opened) await after.settled(id);
  expect(await redis.keys('rp:{0?}:installation')).toHaveLength(8);
  await after.verify();
  await after.stop();
});
