import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, type Program } from '../../src/dev/engines';
import { isReady, startNodeProgram } from '../../src/dev/local/node-program';
import { TcpProxy } from '../harness/tcp-proxy';
import { JWT_SECRET } from './api-call';
import type { PostgresServer } from './engines';
import type { RedisSide, WayToRedis } from './redis-side';

const READY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 10_000;
const STARTS_MAX = 4;
/** Polling more often would take processor time from the processes that are starting. */
const PROBE_EVERY_MS = 100;
const TRAPS_SET_WITHIN_MS = 10_000;

export const SHARDS = 8;

/** Short intervals and time-outs, so that a round takes seconds. */
export const SETTINGS = {
  NODE_ENV: 'test',
  LOG_LEVEL: 'warn',
  JWT_SECRET,
  CLAIM_LOG_KEY: Buffer.alloc(32, 9).toString('base64'),
  CODE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
  SHARD_COUNT: String(SHARDS),
  DATABASE_POOL_MAX: '6',
  SWEEP_INTERVAL_MS: '200',
  SWEEP_AGE_MS: '1000',
  ENDED_KEPT_SECONDS: '3',
  ERASURE_KEEP_DAYS: '0',
  ERASURE_KEY: Buffer.alloc(32, 5).toString('base64'),
  CONFIRM_TIMEOUT_MS: '1000',
  SETTLEMENT_ATTEMPTS_MAX: '3',
  WEBHOOK_PRIVATE_ADDRESSES: 'true',
  RATE_LIMIT_USER_PER_SECOND: '100000',
  RATE_LIMIT_ADDRESS_PER_SECOND: '1000000',
};

export interface ServiceOptions {
  readonly name: string;
  readonly script: 'main.js' | 'worker.js';
  readonly dist: string;
  readonly logDir: string;
  readonly postgres: PostgresServer;
  readonly redis: RedisSide;
}

/** The settings by which a process differs from the others. */
export interface Special {
  readonly env?: NodeJS.ProcessEnv;
  readonly dist?: string;
}

/** One API or worker process, with a proxy on every connection from and to it. */
export class Service {
  /** The output of all processes of this service since {@link forgetLogs}. */
  private logs: Program[] = [];
  private program?: Program;
  private starts = 0;
  /** Applies to every later start as well, until {@link endSpecial}. */
  private special: Special = {};
  /** The process in which failpoints were armed. */
  private trapped?: Program;

  private constructor(
    private readonly options: ServiceOptions,
    readonly toPostgres: TcpProxy,
    private readonly wayToRedis: WayToRedis,
    readonly fromClients: TcpProxy,
    /** Where it listens itself, behind its proxy. */
    readonly port: number,
  ) {}

  static async create(options: ServiceOptions): Promise<Service> {
    const { postgres, redis } = options;
    const port = await freePort();
    const [toPostgres, wayToRedis, fromClients] = await Promise.all([
      TcpProxy.start(postgres.port),
      redis.openWay(),
      TcpProxy.start(port),
    ]);
    postgres.proxies.push(toPostgres);
    return new Service(options, toPostgres, wayToRedis, fromClients, port);
  }

  get name(): string {
    return this.options.name;
  }

  get dist(): string {
    return this.special.dist ?? this.options.dist;
  }

  get url(): string {
    return `http://127.0.0.1:${this.fromClients.port}`;
  }

  get toRedis(): TcpProxy | undefined {
    return this.wayToRedis.proxy;
  }

  get running(): boolean {
    return this.program?.running ?? false;
  }

  get output(): string {
    return this.logs.map((program) => program.output).join('');
  }

  forgetLogs(): void {
    this.logs = this.program ? [this.program] : [];
  }

  private async launch(): Promise<void> {
    if (this.running) return;
    const { name, script, logDir } = this.options;
    const program = await startNodeProgram({
      name,
      script,
      dist: this.dist,
      env: {
        PATH: process.env.PATH,
        ...SETTINGS,
        ...this.addresses(),
        FAILPOINTS_FILE: this.trapsFile,
        ...this.special.env,
      },
      logFile: join(logDir, `${name}-${++this.starts}.log`),
      stopWithinMs: STOP_WITHIN_MS,
    });
    this.program = program;
    this.logs.push(program);
  }

  /**
   * Starts the process unless it is running, and waits until it serves. Tries again, as a supervisor
   * does, if the process gives up because an engine is not back yet.
   * @param special holds until {@link endSpecial}
   */
  async start(special?: Special): Promise<void> {
    if (special) this.special = special;
    for (let attempt = 1; ; attempt++) {
      await this.launch();
      try {
        return await this.program!.ready(() => this.answers(), READY_WITHIN_MS);
      } catch (error) {
        if (attempt === STARTS_MAX) throw error;
      }
    }
  }

  /** Arms failpoints in the running process; an empty text disarms all. */
  async setTraps(traps: string): Promise<void> {
    const program = this.program!;
    writeFileSync(this.trapsFile, traps);
    this.signal('SIGUSR2');
    const said = `failpoints set to "${traps}"`;
    await program.ready(() => program.output.includes(said), TRAPS_SET_WITHIN_MS);
    this.trapped = traps === '' ? undefined : program;
  }

  async kill(): Promise<void> {
    if (!this.running) return;
    this.signal('SIGKILL');
    await this.program!.ended;
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.program!.pid, signal);
  }

  /** Sends SIGTERM, and throws if the process does not end successfully by itself. */
  async retire(): Promise<void> {
    await this.program!.stop();
    if (this.program!.exitCode !== 0)
      throw new Error(`${await this.program!.ended}: ${this.program!.lastFault}`);
  }

  async end(): Promise<void> {
    if (this.running) await this.program!.stop();
  }

  /** Ends the process if it has special settings, or disarms it if it has traps. */
  async endSpecial(): Promise<void> {
    const special = Object.keys(this.special).length > 0;
    this.special = {};
    if (special) await this.end();
    else if (this.running && this.trapped === this.program) await this.setTraps('');
  }

  async dispose(): Promise<void> {
    await this.end();
    const proxies = [this.toPostgres, this.fromClients, ...(this.toRedis ? [this.toRedis] : [])];
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  }

  private get trapsFile(): string {
    return join(this.options.logDir, `${this.name}.failpoints`);
  }

  private addresses(): NodeJS.ProcessEnv {
    return {
      DATABASE_URL: `postgres://hongbao@127.0.0.1:${this.toPostgres.port}/postgres`,
      ...this.wayToRedis.env,
      PORT: String(this.port),
      WORKER_PORT: String(this.port),
    };
  }

  private async answers(): Promise<boolean> {
    if (await isReady(`http://127.0.0.1:${this.port}`)) return true;
    await pause(PROBE_EVERY_MS);
    return false;
  }
}
