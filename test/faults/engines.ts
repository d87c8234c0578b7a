import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { type Engine, startPostgres, startRedis, type SteppedClock } from '../../src/dev/engines';
import { waitFor } from '../harness/engines';
import { signalIfThere } from '../harness/own-postgres';
import { promote, startStandby, waitForStandby } from '../harness/standby';
import { TcpProxy } from '../harness/tcp-proxy';
import { AppendOnlyFile } from './append-only-file';
import { RedisMonitor } from './redis-monitor';
import type { RedisSide, WayToRedis } from './redis-side';
import { SmallDisk } from './small-disk';

const localDir = process.env.LOCAL_DIR || '.local';
/** On a slow disk the last checkpoint takes long. */
const STOP_WITHIN_MS = 30_000;

const portOf = (engine: Engine): number => Number(new URL(engine.url).port);

/** An engine that may die and come back on the same data at another port. */
export abstract class FallibleEngine {
  readonly proxies: TcpProxy[] = [];
  protected engine?: Engine;
  protected clock?: SteppedClock;
  private live?: Engine;

  get port(): number {
    return this.engine ? portOf(this.engine) : 0;
  }

  get pid(): number {
    return this.engine!.pid;
  }

  get url(): string {
    return this.engine!.url;
  }

  get running(): boolean {
    return this.live !== undefined;
  }

  async start(): Promise<void> {
    this.adopt(await this.launch());
  }

  protected adopt(engine: Engine): void {
    this.engine = engine;
    this.live = engine;
    void engine.ended.then(() => {
      if (this.live === engine) this.live = undefined;
    });
    for (const proxy of this.proxies) proxy.pointAt(this.port);
  }

  async kill(): Promise<void> {
    const engine = this.engine!;
    process.kill(engine.pid, 'SIGKILL');
    await engine.ended;
  }

  get ended(): Promise<string> {
    return this.engine!.ended;
  }

  async stop(): Promise<void> {
    await this.engine?.stop();
  }

  async retire(): Promise<void> {
    await this.stop();
    this.clock?.remove();
  }

  /** Restarts it on this clock, or on the host's if undefined. */
  async runOn(clock: SteppedClock | undefined): Promise<void> {
    if (clock === this.clock) return;
    await this.stop();
    this.clock?.remove();
    this.clock = clock;
    await this.start();
  }

  get hasClock(): boolean {
    return this.clock !== undefined;
  }

  stepClock(aheadMs: number): void {
    this.clock?.set(aheadMs);
  }

  freeze(): void {
    for (const pid of this.pids()) signalIfThere(pid, 'SIGSTOP');
  }

  unfreeze(): void {
    for (const pid of this.pids()) signalIfThere(pid, 'SIGCONT');
  }

  protected pids(): number[] {
    return [this.pid];
  }

  protected abstract launch(): Promise<Engine>;
}

/** A durable Postgres, so that its recovery after a kill is real. */
export class PostgresServer extends FallibleEngine {
  private smallDisk?: SmallDisk;

  private homeDir: string;
  private standbyCount = 0;

  constructor(private readonly firstDir: string) {
    super();
    this.homeDir = firstDir;
  }

  private get dataDir(): string {
    return this.smallDisk ? dataOn(this.smallDisk) : this.homeDir;
  }

  /** Moves to a disk that can be made full, if this process may mount one. */
  async moveToSmallDisk(): Promise<void> {
    const disk = SmallDisk.mount(`${this.homeDir}-disk`);
    if (!disk) return;
    await this.stop();
    copyOwned(this.homeDir, dataOn(disk));
    this.smallDisk = disk;
    await this.start();
  }

  async leaveSmallDisk(): Promise<void> {
    const disk = this.smallDisk;
    if (!disk) return;
    disk.makeRoom();
    await this.stop();
    rmSync(this.homeDir, { recursive: true });
    copyOwned(this.dataDir, this.homeDir);
    this.smallDisk = undefined;
    disk.unmount();
    await this.start();
  }

  get disk(): SmallDisk | undefined {
    return this.smallDisk;
  }

  /** Waits until the server has recovered from a lack of room, and starts it if it has ended. */
  async comeBack(): Promise<void> {
    const answers = async () => {
      if (!this.running) await this.start();
      return this.sql('select');
    };
    await waitFor(answers, { what: 'Postgres, which has room again' });
  }

  override async retire(): Promise<void> {
    await super.retire();
    this.smallDisk?.unmount();
  }

  protected launch(): Promise<Engine> {
    const { dataDir, clock } = this;
    return startPostgres({ localDir, dataDir, clock, stopWithinMs: STOP_WITHIN_MS });
  }

  /** Lists the server itself last: once it is frozen, it can no longer start another process. */
  protected override pids(): number[] {
    return [...childrenOf(this.pid), this.pid];
  }

  /** Keeps a copy of the data, which begins another timeline, like a restored backup. */
  async keepCopy(): Promise<void> {
    await this.stop();
    rmSync(this.copyDir, { recursive: true, force: true });
    cpSync(this.dataDir, this.copyDir, { recursive: true, preserveTimestamps: true });
    writeFileSync(join(this.copyDir, 'recovery.signal'), '');
    appendFileSync(join(this.copyDir, 'postgresql.auto.conf'), "restore_command = 'false'\n");
    own(this.copyDir, this.dataDir);
    await this.start();
  }

  /** Undoes all commits since {@link keepCopy}. The server must be stopped. */
  bringBackCopy(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
    renameSync(this.copyDir, this.dataDir);
  }

  private get copyDir(): string {
    return `${this.dataDir}-copy`;
  }

  /** Attaches a standby. From now on, no commit is answered before the standby has it. */
  async attachStandby(): Promise<Standby> {
    const dataDir = `${this.firstDir}-${++this.standbyCount}`;
    const link = await TcpProxy.start(this.port);
    const engine = await startStandby(this.engine!, dataDir, {
      durable: true,
      port: link.port,
      stopWithinMs: STOP_WITHIN_MS,
    });
    await waitForStandby(this.engine!);
    return { engine, dataDir, link };
  }

  /** Puts the standby in the place of the dead primary. It does not wait for any other server. */
  async promote({ engine, dataDir, link }: Standby): Promise<void> {
    await promote(engine);
    await link.stop();
    // Children of the dead server may still write.
    rmSync(this.homeDir, { recursive: true, maxRetries: 10 });
    this.homeDir = dataDir;
    this.adopt(engine);
  }

  /** Changes rows that nobody may change; no trigger fires. */
  async asReplica(statements: readonly string[], values: unknown[]): Promise<void> {
    await this.withClient('-c session_replication_role=replica', async (client) => {
      for (const text of statements) await client.query(text, values);
    });
  }

  async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    // Lets this session write even while the server is read-only for all others.
    const options = '-c default_transaction_read_only=off';
    return this.withClient(options, async (client) => (await client.query<Row>(text, values)).rows);
  }

  private async withClient<T>(options: string, work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: this.url, options });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

const dataOn = (disk: SmallDisk): string => join(disk.directory, 'data');

export interface Standby {
  readonly engine: Engine;
  readonly dataDir: string;
  /** The proxy through which it receives the log. */
  readonly link: TcpProxy;
}

export class RedisServer extends FallibleEngine implements RedisSide {
  readonly monitor = new RedisMonitor();
  private dirCount = 0;
  private dir: string;

  constructor(private readonly parent: string) {
    super();
    this.dir = this.nextDir();
  }

  protected async launch(): Promise<Engine> {
    const { dir: dataDir, clock } = this;
    const engine = await startRedis({ localDir, dataDir, clock, survivesFileLimit: true });
    await prepare(engine);
    await this.monitor.attach(engine.url);
    return engine;
  }

  async openWay(): Promise<WayToRedis> {
    const proxy = await TcpProxy.start(this.port);
    this.proxies.push(proxy);
    return { proxy, env: { REDIS_URL: `redis://127.0.0.1:${proxy.port}` } };
  }

  connect(): Redis {
    return clientOf(this.url);
  }

  restore(): Promise<void> {
    return this.runOn(undefined);
  }

  use<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    return withRedis(this.url, work);
  }

  get log(): AppendOnlyFile {
    return new AppendOnlyFile(this.dir);
  }

  repairLog(): Promise<void> {
    return this.log.repair(localDir);
  }

  /** True if its disk can be made to seem full, which for a running process only Linux can do. */
  get hasDisk(): boolean {
    return spawnSync('prlimit', ['--version']).status === 0;
  }

  /** Lets its append-only file grow by this many bytes, as on a disk that is nearly full. */
  fillDisk(bytesLeft: number): void {
    limitFiles(this.pid, String(this.log.size + bytesLeft));
  }

  makeRoom(): void {
    limitFiles(this.pid, 'unlimited');
  }

  async rewriteLog(): Promise<void> {
    await this.use(async (redis) => {
      await redis.bgrewriteaof();
      await waitFor(async () => isRewritten(await redis.info('persistence')), { what: 'the rewritten file' });
    });
  }

  /** Attaches a replica in step. If promoted later, it has the data of the moment it was cut off. */
  async attachReplica(): Promise<Replica> {
    const dir = this.nextDir();
    const engine = await startRedis({ localDir, dataDir: dir, survivesFileLimit: true });
    await withRedis(engine.url, async (redis) => {
      await redis.replicaof('127.0.0.1', this.port);
      await waitFor(async () => inStep(await redis.info()), { what: 'a replica in step' });
    });
    await prepare(engine);
    return new Replica(engine, dir);
  }

  promote(replica: Replica): void {
    rmSync(this.dir, { recursive: true, force: true });
    this.dir = replica.dir;
    this.adopt(replica.engine);
    void this.monitor.attach(replica.engine.url).catch(() => undefined);
  }

  keepCopy(): void {
    rmSync(this.copyDir, { recursive: true, force: true });
    cpSync(this.dir, this.copyDir, { recursive: true });
  }

  bringBackCopy(): void {
    this.dir = this.nextDir();
    renameSync(this.copyDir, this.dir);
  }

  private get copyDir(): string {
    return join(this.parent, 'redis-copy');
  }

  private nextDir(): string {
    return join(this.parent, `redis-${++this.dirCount}`);
  }
}

export class Replica {
  constructor(
    readonly engine: Engine,
    readonly dir: string,
  ) {}

  async cutOff(): Promise<void> {
    await withRedis(this.engine.url, (redis) => redis.replicaof('NO', 'ONE'));
  }
}

/** Makes Redis write timestamps and never rewrite its file, so that its tail can be cut off. */
function prepare(engine: Engine): Promise<void> {
  return withRedis(engine.url, async (redis) => {
    await redis.config('SET', 'aof-timestamp-enabled', 'yes');
    await redis.config('SET', 'auto-aof-rewrite-percentage', '0');
    await redis.config('SET', 'repl-diskless-sync-delay', '0');
  });
}

/** The replica has all data of its master, in its append-only file as well. */
const inStep = (info: string): boolean =>
  info.includes('master_link_status:up') && info.includes('aof_enabled:1') && isRewritten(info);

const isRewritten = (info: string): boolean =>
  info.includes('aof_rewrite_in_progress:0') &&
  info.includes('aof_rewrite_scheduled:0') &&
  info.includes('aof_last_bgrewrite_status:ok');

function limitFiles(pid: number, bytes: string): void {
  execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`]);
}

/** Children from Linux' process table; on other systems we cannot find any. */
function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
}

function copyOwned(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
  own(to, from);
}

/** Gives a directory and its content to the owner of another directory. */
function own(directory: string, like: string): void {
  const { uid, gid, mode } = statSync(like);
  chmodSync(directory, mode);
  chownSync(directory, uid, gid);
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(directory, name), uid, gid);
}

const clientOf = (url: string): Redis =>
  new Redis(url, { maxRetriesPerRequest: 2 }).on('error', () => undefined);

async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = clientOf(url);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
