import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, Program } from '../../src/dev/engines';
import { createDatabase, redisAppUrl, startTestRedis, waitFor } from '../harness/engines';
import { Installation, JWT_SECRET } from '../harness/installation';
import { TcpProxy } from '../harness/tcp-proxy';

const portOf = (url: string): number => Number(new URL(url).port);

let host: Installation;

beforeAll(async () => {
  host = await Installation.startWithWorker();
});

afterAll(() => host.stop());

describe('a second installation on the Redis of a first one', () => {
  let logDir: string;

  beforeAll(() => {
    logDir = mkdtempSync(join(tmpdir(), 'hongbao-identity-'));
  });

  afterAll(() => rmSync(logDir, { recursive: true, force: true }));

  it.each(['main.js', join('commands', 'verify.js')])(
    'is told by %s in one line that the Redis is not its own, which ends',
    async (script) => {
      const database = await createDatabase();
      const program = await Program.start({
        name: script,
        command: process.execPath,
        args: [resolve('dist', script)],
        env: {
          PATH: process.env.PATH,
          NODE_ENV: 'test',
          LOG_LEVEL: 'fatal',
          DATABASE_URL: database.appUrl,
          REDIS_URL: redisAppUrl(host.redisEngine.url),
          JWT_SECRET,
          PORT: String(await freePort()),
          WORKER_PORT: String(await freePort()),
        },
        logFile: join(logDir, 'boot.log'),
        cwd: logDir,
        stopSignal: 'SIGKILL',
        stopWithinMs: 1_000,
      });
      await program.ended;
      expect(program.exitCode).toBe(1);
      expect(program.output).toMatch(/^.*This Redis belongs to another installation\.$/m);
      expect(program.output.trim().split('\n')).toHaveLength(1);
      await database.drop();
    },
  );
});

describe('a running installation whose Redis is replaced by one of another installation', () => {
  it('answers no user with a win, closes and refunds nothing, reports it, and goes on when its own Redis is back', async () => {
    const own = await startTestRedis();
    const proxy = await TcpProxy.start(portOf(own.url));
    const REDIS_URL = redisAppUrl(`redis://127.0.0.1:${proxy.port}`);
    const guest = await Installation.startWithWorker({ REDIS_URL });
    const activityId = await host.createActivity({ packetCount: 3 });
    expect(await guest.createActivity({ packetCount: 3 })).toBe(activityId);
    const grab = `/v1/activities/${activityId}/grabs`;
    await waitFor(async () => (await host.user('ann').post(grab)).status === 200, { what: 'Ann’s packet' });
    await waitFor(async () => (await guest.user('bob').post(grab)).status === 200, { what: 'Bob’s packet' });

    proxy.pointAt(portOf(host.redisEngine.url));
    proxy.reset();
    await guest.sql('update activity set closes_at = clock_timestamp()');
    const health = async (url: string) => (await fetch(`${url}/health/dependencies`)).text();
    const says = (url: string) =>
      waitFor(async () => (await health(url)).includes('redis belongs to another installation'), {
        what: 'what is wrong with Redis',
      });
    const taps = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => guest.user(`u${i}`).post(grab)),
    );
    expect(new Set(taps.map(({ status }) => status))).toEqual(new Set([503]));
    await Promise.all([says(guest.url), says(guest.workerUrl)]);
    expect((await guest.user('u0').post(grab)).status).toBe(503);
    await waitFor(async () => (await guest.user('bob').post(grab)).body.code === '1', {
      what: 'Bob’s packet, which Postgres knows',
    });
    expect((await guest.operator().post(`/v1/activities/${activityId}/close`)).status).toBe(503);

    expect(await host.proof(activityId)).toMatchObject({
      redis: { status: 'open', packetsLeft: 2, held: 1 },
    });
    expect((await host.user('cem').post(grab)).body.code).toBe('0');
    await host.settled(activityId);
    await host.verify();
    const [{ status }] = (await guest.sql<{ status: string }>(`select status from activity`)) as [
      { status: string },
    ];
    expect(status).toBe('active');

    proxy.pointAt(portOf(own.url));
    proxy.reset();
    const isClosed = async () => (await guest.proof(activityId)).refunded !== '0.00';
    await waitFor(isClosed, { what: 'the end of the rain on its own Redis' });
    await guest.settled(activityId);
    await guest.verify();
    await guest.stop();
    await Promise.all([proxy.stop(), own.stop()]);
  });
});
