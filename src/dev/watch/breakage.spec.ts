import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Breakage } from './breakage';
import { BreakageServer } from './breakage-server';

describe('the faults of a demo', () => {
  let victim: ChildProcess;
  let restarts: number;
  let server: BreakageServer;
  let url: string;
  let breakage: Breakage;

  beforeEach(async () => {
    victim = spawn('sleep', ['60']);
    restarts = 0;
    const restart = () => Promise.resolve(void restarts++);
    breakage = new Breakage({ parts: { worker: { pid: victim.pid!, restart } } }, 1);
    server = new BreakageServer();
    url = await server.listen();
    server.serve(breakage);
  });
  afterEach(() => {
    server.stop();
    victim.kill('SIGKILL');
  });

  const statusOf = async (path: string, method = 'GET') => (await fetch(path, { method })).status;

  it('the wall may break the parts that the demo has started, and nothing else', async () => {
    const faults = (await (await fetch(url)).json()) as { name: string }[];
    expect(faults).toEqual([{ name: 'kill-worker', title: 'Kill the worker' }]);
    expect(await statusOf(`${url}/kill-redis`, 'POST')).toBe(404);
  });

  it('a POST kills a part, which is then started again', async () => {
    const killed = once(victim, 'exit');
    const [fault] = (await (await fetch(`${url}/kill-worker`, { method: 'POST' })).json()) as object[];
    expect(fault).toMatchObject({ meanwhile: expect.stringContaining('The worker is dead') as string });
    expect(await killed).toEqual([null, 'SIGKILL']);
    await breakage.end();
    expect(restarts).toBe(1);
    expect(breakage.faults).toEqual([{ name: 'kill-worker', title: 'Kill the worker' }]);
  });

  it('a request to another path breaks nothing', async () => {
    const { origin } = new URL(url);
    for (const path of ['/', '/kill-worker', '/wrong/kill-worker'])
      expect(await statusOf(origin + path, 'POST')).toBe(404);
    expect(victim.signalCode).toBeNull();
  });
});
