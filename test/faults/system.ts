import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from '../../libs/local-engines';
import type { TcpProxy } from '../support/tcp-proxy';
import { PostgresServer, RedisServer } from './engines';
import { Service } from './service';

/** Two APIs, two workers, a Postgres and a Redis of their own, and a proxy on every way between them. */
export class System {
  private constructor(
    readonly directory: string,
    readonly postgres: PostgresServer,
    readonly redis: RedisServer,
    readonly apis: readonly Service[],
    readonly workers: readonly Service[],
  ) {}

  /** @param dist the compiled programs to put to the test */
  static async start(dist: string): Promise<System> {
    const directory = mkdtempSync(join(tmpdir(), 'hongbao-faults-'));
    chmodSync(directory, 0o755);
    const logDir = join(directory, 'logs');
    mkdirSync(logDir);
    const postgres = new PostgresServer(join(directory, 'postgres'));
    const redis = new RedisServer(directory);
    await Promise.all([postgres.start(), redis.start()]);
    await migrate(dist, postgres.url, logDir);
    const common = { dist, logDir, postgres, redis };
    const create = (name: string, script: 'main.js' | 'worker.js') =>
      Service.create({ ...common, name, script });
    const apis = await Promise.all(['api-1', 'api-2'].map((name) => create(name, 'main.js')));
    const workers = await Promise.all(['worker-1', 'worker-2'].map((name) => create(name, 'worker.js')));
    const system = new System(directory, postgres, redis, apis, workers);
    await system.startServices();
    return system;
  }

  get services(): Service[] {
    return [...this.apis, ...this.workers];
  }

  proxies(edge: 'postgres' | 'redis' | 'http'): TcpProxy[] {
    if (edge === 'postgres') return this.services.map((service) => service.toPostgres);
    if (edge === 'redis') return this.services.map((service) => service.toRedis);
    return this.apis.map((api) => api.fromClients);
  }

  /** Starts every process that is not running. */
  async startServices(): Promise<void> {
    await Promise.all(this.services.map((service) => service.start()));
  }

  /** Somebody always comes and restarts a dead server; also one that killed itself late. */
  async reviveTheDead(): Promise<void> {
    if (this.services.some((service) => !service.running)) await this.startServices();
  }

  async replaceSpecialServices(): Promise<void> {
    await Promise.all(this.services.map((service) => service.endSpecial()));
    await this.startServices();
  }

  async stop(): Promise<void> {
    await Promise.all(this.services.map((service) => service.dispose()));
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
  }

  /** Only of a stopped system. */
  discard(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

async function migrate(dist: string, databaseUrl: string, logDir: string): Promise<void> {
  const program = await Program.start({
    name: 'migrate',
    command: process.execPath,
    args: [join(dist, 'src', 'commands', 'migrate.js')],
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    logFile: join(logDir, 'migrate.log'),
    stopSignal: 'SIGTERM',
    stopWithinMs: 10_000,
  });
  await program.ended;
  if (program.exitCode !== 0) throw new Error(`The migration failed: ${program.lastFault}`);
}
