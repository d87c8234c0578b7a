import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DataDirLock } from '../../src/dev/local/running';
import { Dispensing, packetsUpTo } from '../harness/dispensing';
import { onOneServer } from '../harness/on-one-server';
import { type RedisPlace, startOneServer } from '../harness/redis-place';

const PROGRAM = join('dist', 'src', 'dev', 'script.js');

let place: RedisPlace;
let localDir: string;
let rains: Dispensing;

beforeAll(async () => {
  place = await startOneServer();
  rains = Dispensing.over(place.connect(), 4);
  localDir = mkdtempSync(join(tmpdir(), "hongbao script's "));
});

afterAll(async () => {
  rains.redis.disconnect();
  rmSync(localDir, { recursive: true });
  await place.stop();
});

/** Starts the command, and resolves once it waits, with a promise of the line that it prints. */
async function startWaiting(redisUrl = place.engine!.url): Promise<{ line: Promise<string> }> {
  const env = { ...process.env, REDIS_URL: redisUrl, LOCAL_DIR: localDir };
  const child = spawn(process.execPath, [PROGRAM, 'grab', '--call'], { env });
  const line = text(child.stdout);
  await once(child.stderr, 'data');
  return { line };
}

/** Runs a line in a shell, like a person who types into the debugger. */
const debug = (line: string, typed: string): string =>
  spawnSync('sh', ['-c', line], { input: typed, encoding: 'utf8' }).stdout;

onOneServer.it.each(['ann', String.raw`O'Neill|"$HOME"\x41\n`])(
  'npm run script -- grab --call prints the line that opens the tap of %s in the debugger of Redis, which changes nothing',
  async (userId) => {
    const activityId = await rains.rain(packetsUpTo(1));
    const { line } = await startWaiting();
    await rains.draw(activityId, userId);
    const answer = debug(await line, 'p KEYS\nc\n');

    expect(answer).toContain(`:${activityId}:claims`);
    expect(answer).toContain('1:');
  },
);

onOneServer.it(
  'npm run script -- grab --call watches the private Redis of npm start as its owner',
  async () => {
    const lock = await DataDirLock.take(localDir);
    const { url } = place.engine!;
    const [redisUrl, other] = [url.replace('//', '//hongbao:local@'), 'http://127.0.0.1'];
    lock.announce({ apiUrl: other, workerUrl: other, databaseUrl: other, redisUrl, ownerRedisUrl: url });
    try {
      const activityId = await rains.rain(packetsUpTo(1));
      const { line } = await startWaiting('');
      await rains.draw(activityId, 'ann');
      expect(debug(await line, 'p KEYS\nc\n')).toContain(`:${activityId}:claims`);
    } finally {
      lock.release();
    }
  },
);

onOneServer.it('npm run script -- grab --call ends with a reason where it may not watch', async () => {
  const admin = place.connect();
  await admin.call('ACL', 'SETUSER', 'blind', 'on', '>blind', '~*', '+@all', '-monitor');
  admin.disconnect();
  const url = new URL(place.engine!.url);
  [url.username, url.password] = ['blind', 'blind'];
  const env = { ...process.env, REDIS_URL: url.href, LOCAL_DIR: localDir };
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'grab', '--call'], {
    env,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^NOPERM/)]);
});

it('npm run script -- NAME prints the script as Redis gets it, and lists the scripts if there is none of that name', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' });
  expect(run('standing')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^#!lua flags=no-writes\nlocal .*KEYS\[1\]/),
  });
  for (const name of ['', 'sit', '../package'])
    expect(run(name)).toMatchObject({ status: 1, stderr: expect.stringContaining('load-begin') });
});
