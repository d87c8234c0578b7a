import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort, Program, throwAwayDirectory } from '../../src/dev/engines';
import { isReady } from '../../src/dev/local/node-program';
import { distributed } from './distributed';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 2_000;

/** HAProxy with the configuration in `deploy/haproxy`, in front of two APIs. */
export class HaProxy {
  private constructor(
    readonly url: string,
    private readonly program: Program,
    private readonly directory: string,
  ) {}

  static async start(apiUrls: readonly [string, string]): Promise<HaProxy | undefined> {
    const haproxy = await distributed('haproxy', 'usr/sbin/haproxy');
    if (!haproxy) return undefined;
    const directory = throwAwayDirectory('haproxy');
    const bind = `127.0.0.1:${await freePort()}`;
    const [first, second] = apiUrls.map((url) => new URL(url).host);
    const program = await Program.start({
      name: 'HAProxy',
      command: haproxy.command,
      args: ['-f', resolve('deploy', 'haproxy', 'haproxy.cfg')],
      env: { ...haproxy.env, BIND: bind, API_1: first, API_2: second, ADMIN_SOCKET: socketIn(directory) },
      logFile: join(directory, 'haproxy.log'),
      stopSignal: 'SIGTERM',
      stopWithinMs: STOP_WITHIN_MS,
      throwAwayDirectory: directory,
    });
    const started = new HaProxy(`http://${bind}`, program, directory);
    await program.ready(() => isReady(started.url), READY_WITHIN_MS);
    return started;
  }

  /** Does an operator's step before a deployment (`drain`) or after it (`ready`). */
  set(server: 'api1' | 'api2', state: 'drain' | 'ready'): Promise<string> {
    return this.say(`set server apis/${server} state ${state}`);
  }

  async statusOf(server: 'api1' | 'api2'): Promise<Record<string, string>> {
    const [head, ...rows] = (await this.say('show stat')).replace(/^# /, '').trim().split('\n');
    const names = head!.split(',');
    const row = rows.map((line) => line.split(',')).find(([, name]) => name === server);
    return Object.fromEntries(names.map((name, i) => [name, row![i]!]));
  }

  stop(): Promise<void> {
    return this.program.stop();
  }

  private async say(command: string): Promise<string> {
    const socket = connect(socketIn(this.directory));
    socket.end(`${command}\n`);
    return text(socket);
  }
}

const socketIn = (directory: string): string => join(directory, 'admin.sock');
