import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Program } from '../../src/dev/engines';
import { startNodeProgram } from '../../src/dev/local/node-program';
import type { TcpProxy } from '../harness/tcp-proxy';
import { PostgresServer, RedisServer } from './engines';
import { RedisClusterSide } from './redis-cluster-side';
import type { WayToRedis } from './redis-side';
import { within } from '../../libs/deadline';
import { makeOlderPrograms } from './older-programs';
import { Receiver } from './receiver';
import { Service, SETTINGS } from './service';

const STRANGER_REFUSED_WITHIN_MS = 20_000;

/** Two APIs, two workers and new engines, with a proxy on every connection between them. */
export class System {
  private ownReceiver?: Receiver;
  private olderDist?: Promise<string>;
  private erasures = 0;

  private constructor(
    private readonly dist: string,
    /** The programs of another version, if given. One of the two schemas serves both versions. */
    readonly otherDist: string | undefined,
    readonly directory: string,
    readonly postgres: PostgresServer,
    readonly redisSide: RedisServer | RedisClusterSide,
    readonly apis: readonly Service[],
    readonly workers: readonly Service[],
    private readonly wayOfErasures: WayToRedis,
  ) {}

  /** @param otherDist the programs of another version, for rounds that mix them */
  static async start(dist: string, otherDist?: string, onCluster = false): Promise<System> {
    const directory = mkdtempSync(join(tmpdir(), 'hongbao-faults-'));
    chmodSync(directory, 0o755);
    const logDir = join(directory, 'logs');
    mkdirSync(logDir);
    const postgres = new PostgresServer(join(directory, 'postgres'));
    const redis = onCluster ? new RedisClusterSide() : new RedisServer(directory);
    await Promise.all([postgres.start(), redis.start()]);
    for (const release of [dist, otherDist]) if (release) await migrate(release, postgres.url, logDir);
    const common = { dist, logDir, postgres, redis };
    const create = (name: string, script: 'main.js' | 'worker.js') =>
      Service.create({ ...common, name, script });
    const apis = await Promise.all(['api-1', 'api-2'].map((name) => create(name, 'main.js')));
    const workers = await Promise.all(['worker-1', 'worker-2'].map((name) => create(name, 'worker.js')));
    const way = await redis.openWay();
    const system = new System(dist, otherDist, directory, postgres, redis, apis, workers, way);
    await system.startServices();
    return system;
  }

  get redis(): RedisServer {
    return expect(RedisServer, this.redisSide);
  }

  get cluster(): RedisClusterSide {
    return expect(RedisClusterSide, this.redisSide);
  }

  get apiUrls(): string[] {
    return this.apis.map(({ url }) => url);
  }

  get services(): Service[] {
    return [...this.apis, ...this.workers];
  }

  proxies(edge: 'postgres' | 'redis' | 'http'): TcpProxy[] {
    if (edge === 'postgres') return this.services.map((service) => service.toPostgres);
    if (edge === 'redis') return this.services.flatMap((service) => service.toRedis ?? []);
    return this.apis.map((api) => api.fromClients);
  }

  /** The balance system that payouts go to, started when a round first needs it. */
  async receiver(): Promise<Receiver> {
    return (this.ownReceiver ??= await Receiver.start(this.dist, this.directory));
  }

  /** Returns the directory of programs that know neither tickets nor limits, and installs their functions in Postgres. */
  olderPrograms(): Promise<string> {
    const make = async () => {
      const older = makeOlderPrograms(this.dist);
      await migrate(older, this.postgres.url, join(this.directory, 'logs'));
      return older;
    };
    return (this.olderDist ??= make());
  }

  /** Starts `npm run erasure`, as an operator does every night. */
  startErasure(): Promise<Program> {
    const env = { ...SETTINGS, DATABASE_URL: this.postgres.url, ...this.wayOfErasures.env };
    const logFile = join(this.directory, 'logs', `erasure-${++this.erasures}.log`);
    return startNodeProgram({
      name: 'erasure',
      script: join('commands', 'erasure.js'),
      dist: this.dist,
      env: { PATH: process.env.PATH, ...env },
      logFile,
    });
  }

  async startServices(): Promise<void> {
    await Promise.all(this.services.map((service) => service.start()));
  }

  /** Starts dead processes, as an operator does, including those that killed themselves late. */
  async reviveTheDead(): Promise<void> {
    if (this.services.some((service) => !service.running)) await this.startServices();
  }

  async replaceSpecialServices(): Promise<void> {
    await Promise.all(this.services.map((service) => service.endSpecial()));
    await Promise.all([this.postgres.runOn(undefined), this.redisSide.restore()]);
    await this.postgres.leaveSmallDisk();
    await this.startServices();
  }

  /**
   * Starts an API with another database but this Redis. Returns the line with which it refuses to start.
   * @throws Error if it does not refuse
   */
  async inviteStranger(): Promise<string> {
    const name = 'stranger';
    const url = new URL(this.postgres.url);
    url.pathname = name;
    await this.postgres.sql(`drop database if exists ${name} with (force)`);
    await this.postgres.sql(`create database ${name}`);
    const logDir = join(this.directory, 'logs');
    await migrate(this.dist, url.href, logDir);
    const program = await startNodeProgram({
      name,
      script: 'main.js',
      dist: this.dist,
      env: {
        PATH: process.env.PATH,
        ...SETTINGS,
        DATABASE_URL: url.href,
        REDIS_URL: this.redis.url,
        PORT: '0',
      },
      logFile: join(logDir, `${name}.log`),
    });
    const said = await within(STRANGER_REFUSED_WITHIN_MS, program.ended).catch(() => undefined);
    await program.stop();
    if (said === undefined || program.exitCode === 0)
      throw new Error('an API of another installation has started on this Redis');
    return program.lastFault;
  }

  async stop(): Promise<void> {
    await Promise.all(this.services.map((service) => service.dispose()));
    await this.wayOfErasures.proxy?.stop();
    await this.ownReceiver?.stop();
    await Promise.all([this.postgres, this.redisSide].map((engine) => engine.retire()));
  }

  discard(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** @throws Error if a harm is played on a system of the wrong kind */
function expect<T>(kind: new (...args: never[]) => T, side: unknown): T {
  if (!(side instanceof kind)) throw new Error(`This system has no ${kind.name}.`);
  return side;
}

async function migrate(dist: string, databaseUrl: string, logDir: string): Promise<void> {
  const program = await startNodeProgram({
    name: 'migrate',
    script: join('commands', 'migrate.js'),
    dist,
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    logFile: join(logDir, 'migrate.log'),
  });
  await program.ended;
  if (program.exitCode !== 0) throw new Error(`The migration failed: ${program.lastFault}`);
}
