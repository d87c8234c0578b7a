import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Breakage } from './breakage';
import { BreakageServer } from './breakage-server';

describe('what the wall of a demo may break', () => {
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

  it('is what it has started itself, and nothing else', async () => {
    const faults = (await (await fetch(url)).json()) as { name: string }[];
    expect(faults).toEqual([{ name: 'kill-worker', title: 'Kill the worker' }]);
    expect(await statusOf(`${url}/kill-redis`, 'POST')).toBe(404);
  });

  it('is killed by a POST, and started again', async () => {
    const killed = once(victim, 'exit');
    const [fault] = (await (await fetch(`${url}/kill-worker`, { method: 'POST' })).json()) as object[];
    expect(fault).toMatchObject({ meanwhile: expect.stringContaining('The worker is dead') as string });
    expect(await killed).toEqual([null, 'SIGKILL']);
    await breakage.end();
    expect(restarts).toBe(1);
    expect(breakage.faults).toEqual([{ name: 'kill-worker', title: 'Kill the worker' }]);
  });

  it('cannot be broken by those who do not know the path', async () => {
    const { origin } = new URL(url);
    for (const path of ['/', '/kill-worker', '/wrong/kill-worker'])
      expect(await statusOf(origin + path, 'POST')).toBe(404);
    expect(victim.signalCode).toBeNull();
  });
});
