import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';
import { player } from './players';
import { ids, LIMIT, shareRains } from './taps';

/** Taps at processes with settings and ends of their own. */
shareRains();

describe('a server that shuts down', () => {
  it('answers all frames, then announces that it is leaving, and has not lost a win', async () => {
    const { program, url } = await rain.startAnother('main.js');
    const idle = await Promise.all(Array.from({ length: 10 }, (_, i) => player(`idle-${i}`, url)));
    const client = await player('max', url);
    const { pid } = rain.redisEngine;
    process.kill(pid, 'SIGSTOP');
    const asked = client.grab(ids.empty);
    try {
      process.kill(program.pid, 'SIGTERM');
      expect(await Promise.all(idle.map(({ closed }) => closed))).toEqual(idle.map(() => 1001));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect((await asked).status).toBeGreaterThanOrEqual(200);
    expect(await client.closed).toBe(1001);
    await program.ended;
    expect(program.exitCode).toBe(0);
  });
});

it('several processes behind one port serve the gateway and shut down like one', async () => {
  const { program, url } = await rain.startAnother('main.js', { API_PROCESSES: '2' });
  const all = await Promise.all(Array.from({ length: 8 }, (_, i) => player(`shared-${i}`, url)));
  for (const client of all) expect((await client.grab(ids.empty)).body.reason).toBe('sold-out');
  const stopped = program.stop();
  expect(await Promise.all(all.map(({ closed }) => closed))).toEqual(all.map(() => 1001));
  await stopped;
  expect(program.exitCode).toBe(0);
});

it('a client that does not read is disconnected', async () => {
  const { url } = await rain.startAnother('main.js', { RATE_LIMIT_USER_PER_SECOND: '1000000' });
  const client = await player('deaf', url);
  client.socket.pause();
  const fields = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i}`.padEnd(64, 'x'), 1]));
  let sent = 0;
  const isCut = async () => {
    for (let i = 0; i < 500; i++)
      client.socket.send(JSON.stringify({ id: `${sent++}`, op: 'ping', ...fields }));
    return /^hongbao_gateway_closes_total\{code="1006"\} [1-9]/m.test(
      await (await fetch(`${url}/metrics`)).text(),
    );
  };
  await waitFor(isCut, { what: 'the end of patience' });
  client.socket.terminate();
});

it('a user who taps too often is counted by two processes together: even a process that has admitted less than the limit answers 429', async () => {
  const { program, url } = await rain.startAnother('main.js');
  const tap = (user: string, at: string) => rain.user(user, at).post(`/v1/activities/${ids.empty}/grabs`);
  let users = 0;
  // Each attempt sends fewer requests to one process than the limit of a user.
  const refusal = async () => {
    const greedy = `greedy-${++users}`;
    await Promise.all(Array.from({ length: 2 * LIMIT }, () => tap(greedy, rain.url)));
    for (let admitted = 0; admitted < LIMIT - 1; admitted++) {
      const answer = await tap(greedy, url);
      if (answer.status === 429) return answer;
      await tap(greedy, rain.url);
    }
  };
  const refused = (await waitFor(refusal, { what: 'a refusal' }))!;
  expect(refused.body).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await tap('patient', url)).status).toBe(200);
  await program.stop();
});
