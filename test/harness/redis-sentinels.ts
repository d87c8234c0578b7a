import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Redis } from 'ioredis';
import { type Engine, freePort, Program, redisBinary } from '../../src/dev/engines';
import { ask } from '../../src/dev/engines/port';
import { redisAppUrl, startTestRedis, waitFor } from './engines';

const NAME = 'rain';
const SENTINELS = 3;
const READY_WITHIN_MS = 60_000;

interface Sentinel {
  readonly port: number;
  readonly program: Program;
}

export class RedisSentinels {
  private constructor(
    private readonly servers: readonly Engine[],
    private readonly sentinels: readonly Sentinel[],
    private readonly directory: string,
  ) {}

  /** @param silentMs time after which a silent master is replaced */
  static async start({ silentMs = 1_000 } = {}): Promise<RedisSentinels> {
    const servers = await Promise.all([startTestRedis(), startTestRedis(), startTestRedis()]);
    const [master, ...replicas] = servers;
    await serveReplicasAtOnce(master);
    await Promise.all(replicas.map((replica) => follow(replica, portOf(master))));
    const directory = mkdtempSync(join(tmpdir(), 'hongbao-sentinels-'));
    const sentinels: Sentinel[] = [];
    for (let i = 0; i < SENTINELS; i++)
      sentinels.push(await startSentinel(directory, portOf(master), silentMs));
    const system = new RedisSentinels(servers, sentinels, directory);
    await waitFor(() => system.isWatched(), { what: 'Sentinels that know each other and both replicas' });
    return system;
  }

  get env(): NodeJS.ProcessEnv {
    const { username, password } = new URL(redisAppUrl(this.servers[0]!.url));
    return {
      REDIS_URL: '',
      REDIS_SENTINELS: this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','),
      REDIS_SENTINEL_NAME: NAME,
      REDIS_USERNAME: username,
      REDIS_PASSWORD: password,
    };
  }

  async master(): Promise<Engine> {
    const [, port] = await this.asked<string[]>('get-master-addr-by-name', NAME);
    return this.servers.find((server) => portOf(server) === Number(port))!;
  }

  /** Does `kill -9` and waits until the Sentinels have promoted another server. */
  async killMaster(): Promise<void> {
    const before = await this.master();
    process.kill(before.pid, 'SIGKILL');
    await before.ended;
    await waitFor(async () => (await this.master()) !== before, { what: 'another master' });
  }

  async stop(): Promise<void> {
    await Promise.all(this.sentinels.map(({ program }) => program.stop()));
    await Promise.all(this.servers.map((server) => server.stop()));
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async isWatched(): Promise<boolean> {
    const fields = await this.asked<string[]>('master', NAME);
    const of = (name: string) => fields[fields.indexOf(name) + 1];
    return of('num-other-sentinels') === String(SENTINELS - 1) && of('num-slaves') === '2';
  }

  private async asked<T>(...command: string[]): Promise<T> {
    const sentinel = new Redis(this.sentinels[0]!.port, '127.0.0.1', { retryStrategy: () => null });
    try {
      return (await sentinel.call('SENTINEL', ...command)) as T;
    } finally {
      sentinel.disconnect();
    }
  }
}

const portOf = ({ url }: Engine): number => Number(new URL(url).port);

/** Removes the five seconds in which a master waits for more replicas to copy to. */
async function serveReplicasAtOnce(master: Engine): Promise<void> {
  const redis = new Redis(master.url);
  await redis.config('SET', 'repl-diskless-sync-delay', '0');
  redis.disconnect();
}

async function follow(replica: Engine, masterPort: number): Promise<void> {
  const redis = new Redis(replica.url);
  await redis.replicaof('127.0.0.1', masterPort);
  const inStep = async () => (await redis.info('replication')).includes('master_link_status:up');
  await waitFor(inStep, { what: 'a replica in step' });
  redis.disconnect();
}

async function startSentinel(directory: string, masterPort: number, silentMs: number): Promise<Sentinel> {
  const port = await freePort();
  const file = join(directory, `${port}.conf`);
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${directory}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${NAME} ${silentMs}`,
    `sentinel failover-timeout ${NAME} 5000`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const binary = await redisBinary(resolve(process.env.LOCAL_DIR || '.local'));
  const program = await Program.start({
    name: 'Sentinel',
    command: binary.command,
    args: [file, '--sentinel'],
    env: binary.env,
    logFile: join(directory, `${port}.log`),
    cwd: directory,
    stopSignal: 'SIGTERM',
    stopWithinMs: 1_500,
    throwAwayDirectory: directory,
  });
  await program.ready(async () => (await ask(port, 'PING\r\n')).startsWith('+PONG'), READY_WITHIN_MS);
  return { port, program };
}
