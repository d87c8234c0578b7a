import { existsSync } from 'node:fs';
import { freePort } from '../../src/dev/engines';
import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';

const PROCESSES = 2;

/** A file that answers each write as a full disk does. */
const onLinux = existsSync('/dev/full') ? it : it.skip;

describe('several API processes behind one port', () => {
  let rain: Installation;
  let adminUrl: string;

  beforeAll(async () => {
    const adminPort = String(await freePort());
    adminUrl = `http://127.0.0.1:${adminPort}`;
    rain = await Installation.startWithWorker({
      API_PROCESSES: String(PROCESSES),
      ADMIN_PORT: adminPort,
      LOG_LEVEL: 'info',
      RATE_LIMIT_ADDRESS_PER_SECOND: '1000000',
    });
    await waitFor(() => serving().length === PROCESSES, { what: 'all processes' });
  });

  afterAll(() => rain.stop());

  /** Reads the whole answer: the client trips over a connection that ends before it has. */
  async function statusOf(url: string): Promise<number> {
    const answer = await fetch(url, CLOSING);
    await answer.text();
    return answer.status;
  }

  /** The numbers of the processes that have begun to serve, in that order. */
  const serving = (): number[] =>
    Array.from(rain.api.output.matchAll(/process \d+ \((\d+)\) serves/g), ([, pid]) => Number(pid));

  async function insist(activityId: string, user: string): Promise<string> {
    const packet = async () =>
      (await rain.tap(activityId, user).catch(() => undefined))?.body.redPacketId as string;
    return waitFor(packet, { what: `the packet of ${user}` });
  }

  const metrics = async (): Promise<string> => (await fetch(`${adminUrl}/metrics`)).text();

  /** Requests that each process has counted, by the number of the process. */
  const requestsIn = (text: string): Record<string, number> =>
    Object.fromEntries(
      Array.from(
        text.matchAll(/^hongbao_http_requests_total\{process="(\d)"\} (\d+)$/gm),
        ([, number, count]) => [number!, Number(count)],
      ),
    );

  const sum = (counts: Record<string, number>): number =>
    Object.values(counts).reduce((total, count) => total + count, 0);

  it('serve a single page of metrics, whose figures add up', async () => {
    // Any process may accept a connection, so both serve only after some attempts.
    const bothServe = async () => {
      await Promise.all(Array.from({ length: 20 }, () => fetch(`${rain.url}/health/live`, CLOSING)));
      return Object.values(requestsIn(await metrics())).filter((count) => count > 1).length === PROCESSES;
    };
    await waitFor(bothServe, { what: 'requests to every process' });

    const before = await metrics();
    for (let i = 0; i < 30; i += 1) await fetch(`${rain.url}/health/live`, CLOSING);
    const after = await metrics();
    // The page of metrics is a request as well.
    expect(sum(requestsIn(after)) - sum(requestsIn(before))).toBe(31);
    expect(after.match(/^# TYPE hongbao_http_requests_total /gm)).toHaveLength(1);
  });

  it('add up the taps that they have refused in the last minute', async () => {
    const id = await rain.createActivity({ packetCount: 1, opensInMs: 3_000_000 });
    const headers = { ...CLOSING.headers, authorization: `Bearer ${rain.tokenOf('early')}` };
    const tapOnce = () => fetch(`${rain.url}/v1/activities/${id}/grabs`, { method: 'POST', headers });
    const refusedBy = async () =>
      Array.from((await metrics()).matchAll(/^hongbao_grabs_total\{.*not-open.*\} (\d+)$/gm), ([, n]) =>
        Number(n),
      );
    const bothRefused = async () => {
      await tapOnce();
      return (await refusedBy()).filter((count) => count > 0).length === PROCESSES;
    };
    await waitFor(bothRefused, { what: 'refusals by every process' });
    const all = (await refusedBy()).reduce((sum, count) => sum + count, 0);
    const shown = async () => {
      const { refusals } = (await rain.operator().get('/v1/overview')).body;
      const ours = refusals.lastMinute.find(({ reason }: { reason: string }) => reason === 'not-open');
      return refusals.ofAllProcesses && ours?.count;
    };
    await waitFor(async () => (await shown()) === all, { what: 'their sum in the overview' });
  });

  it('answer 503 instead of a page of metrics while the first process does not answer', async () => {
    process.kill(rain.api.pid, 'SIGSTOP');
    const page = await fetch(`${adminUrl}/metrics`).finally(() => process.kill(rain.api.pid, 'SIGCONT'));
    expect(page.status).toBe(503);
    expect(page.headers.get('retry-after')).toBe('1');
    expect(await page.json()).toMatchObject({ code: 'unavailable' });
  });

  it('share Swagger UI, the API document and the metrics on the port for operators', async () => {
    for (const page of ['/docs', '/openapi.json', '/metrics'])
      for (let i = 0; i < 4; i += 1) {
        expect(await statusOf(adminUrl + page)).toBe(200);
        expect(await statusOf(rain.url + page)).toBe(404);
      }
  });

  it('replace a process that is killed, and do not lose an answered win', async () => {
    const activityId = await rain.createActivity({ packetCount: 200 });
    const users = Array.from({ length: 200 }, (_, i) => `u${i}`);
    const taps = users.map(async (user) => ({
      user,
      answer: await rain.tap(activityId, user).catch(() => undefined),
    }));
    const before = serving();
    await Promise.race(taps);
    process.kill(before.at(-1)!, 'SIGKILL');
    const answered = (await Promise.all(taps)).filter(({ answer }) => answer?.body.code === '0');
    await waitFor(() => serving().length === before.length + 1, { what: 'another process' });
    expect(rain.api.output).toContain(`(${before.at(-1)}) ended with SIGKILL`);
    expect(rain.api.running).toBe(true);

    const packets = new Map(
      await Promise.all(users.map(async (user) => [user, await insist(activityId, user)] as const)),
    );
    expect(new Set(packets.values()).size).toBe(200);
    for (const { user, answer } of answered) expect(packets.get(user)).toBe(answer!.body.redPacketId);
    await rain.settled(activityId);
    expect(await rain.verify()).not.toContain('BROKEN');
  });

  it('are replaced one by one at SIGUSR2, even if all receive it, while requests are answered', async () => {
    const before = serving();
    for (const pid of before) if (!isGone(pid)) process.kill(pid, 'SIGUSR2');
    process.kill(rain.api.pid, 'SIGUSR2');
    const headers = { ...CLOSING.headers, authorization: `Bearer ${rain.tokenOf('reader')}` };
    const failures: unknown[] = [];
    const replaced = async () => {
      const answer = await fetch(`${rain.url}/v1/me/wallet`, { headers }).catch((error: unknown) => error);
      if ((answer as Response).status !== 200) failures.push(answer);
      return serving().length === before.length + PROCESSES;
    };
    await waitFor(replaced, { what: 'other processes' });
    expect(failures).toEqual([]);
    await waitFor(() => before.every(isGone), { what: 'the end of the former processes' });
    expect((await rain.user('reader').get('/v1/me/wallet')).status).toBe(200);
    expect(await fetch(`${rain.url}/health/ready`)).toMatchObject({ status: 200 });
  });

  onLinux('serve while the disk of their log is full, and count the lines that it lacks', async () => {
    const own = { ADMIN_PORT: String(await freePort()) };
    const { program, url } = await rain.startAnother('main.js', own, undefined, '/dev/full');
    const activityId = await rain.createActivity({ packetCount: 1 });
    const answer = await rain.user('ann', url).post(`/v1/activities/${activityId}/grabs`);
    expect(answer.body.code).toBe('0');
    const page = await (await fetch(`http://127.0.0.1:${own.ADMIN_PORT}/metrics`)).text();
    expect(page).toMatch(/^hongbao_log_lines_lost_total\{process="1"\} [1-9]/m);
    await program.stop();
    expect(program.exitCode).toBe(0);
  });

  it('end together at SIGTERM, with success, after answering the requests in progress', async () => {
    const activityId = await rain.createActivity({ packetCount: 100 });
    const users = Array.from({ length: 100 }, (_, i) => `last${i}`);
    const taps = users.map((user) => rain.tap(activityId, user).catch(() => undefined));
    await Promise.race(taps);
    await rain.api.stop();
    const answers = await Promise.all(taps);
    expect(rain.api.exitCode).toBe(0);
    expect(serving().every(isGone)).toBe(true);

    const claims = await rain.sql<{ user_id: string }>('select user_id from claim where activity_id = $1', [
      activityId,
    ]);
    const known = new Set(claims.map(({ user_id }) => user_id));
    const told = users.filter((_, i) => answers[i]?.body.code === '0');
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter((user) => !known.has(user))).toEqual([]);
  });
});

describe('several API processes of which none can start', () => {
  it('end with exit code 1 and the error line of one of them', async () => {
    const start = Installation.start({ API_PROCESSES: '2', REDIS_URL: 'redis://127.0.0.1:1' });
    await expect(start).rejects.toThrow(/^main\.js ended with code 1: .*ECONNREFUSED 127\.0\.0\.1:1/);
  });
});

const CLOSING = { headers: { connection: 'close' } };

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
