import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { type Engine, freePort, type Program } from '../../src/dev/engines';
import type { RedisClient, RedisKeys } from '../../libs/redis-scripts';
import type { Role } from '../../libs/roles';
import { isReady, type NodeProgram, startNodeProgram } from '../../src/dev/local/node-program';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { type Answer, type CallOptions, Caller } from './client';
import { createDatabase, type TestDatabase, waitFor } from './engines';
import { keysIn, queueKey, type RedisPlace, startRedisPlace } from './redis-place';

export const JWT_SECRET = 'a-secret-for-tests-only-0123456789abcdef';
const READY_WITHIN_MS = 150_000;
const STOP_WITHIN_MS = 10_000;
const ANSWERED_500 = /ERROR \[Http\] .* failed\b/;

type Settings = NodeJS.ProcessEnv | ((database: TestDatabase) => Promise<NodeJS.ProcessEnv>);

/** The built programs as real processes, on a database and a Redis of their own. */
export class Installation {
  worker?: Program;
  workerUrl = '';
  private readonly others: Program[] = [];
  private readonly faulty = new Set<Program>();

  private constructor(
    readonly database: TestDatabase,
    private readonly redisPlace: RedisPlace,
    readonly redis: RedisClient,
    private readonly postgres: Pool,
    private readonly env: NodeJS.ProcessEnv,
    /** Of its programs. It is removed when the installation stops, after their logs were read. */
    readonly logDir: string,
    readonly api: Program,
    readonly url: string,
    private readonly dist?: string,
  ) {}

  /**
   * @param env settings of all programs, or a function that makes them for the database
   * @param dist compiled programs to use instead of the built ones; they migrate an empty database
   */
  static async start(env: Settings = {}, dist?: string): Promise<Installation> {
    const database = await createDatabase(dist === undefined ? undefined : 'template0');
    const redisPlace = await startRedisPlace();
    const postgres = new Pool({ connectionString: database.url, max: 1, idleTimeoutMillis: 0 });
    const logDir = mkdtempSync(join(tmpdir(), 'hongbao-logs-'));
    const settings = {
      ...process.env,
      NODE_ENV: 'test',
      LOG_LEVEL: 'warn',
      DATABASE_URL: database.appUrl,
      ...redisPlace.env,
      JWT_SECRET,
      SWEEP_AGE_MS: '1000',
      ...(typeof env === 'function' ? await env(database) : env),
    };
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const redis = redisPlace.connect();
    try {
      if (dist !== undefined) await migrate(database, settings, logDir, dist);
      const api = await startServer('main.js', { ...settings, PORT: String(port) }, logDir, url, dist);
      return new Installation(database, redisPlace, redis, postgres, settings, logDir, api, url, dist);
    } catch (error) {
      redis.disconnect();
      await postgres.end();
      await Promise.all([redisPlace.stop(), database.drop()]);
      throw error;
    }
  }

  static async startWithWorker(env: Settings = {}, dist?: string): Promise<Installation> {
    const installation = await Installation.start(env, dist);
    try {
      await installation.startWorker();
    } catch (error) {
      await installation.stop();
      throw error;
    }
    return installation;
  }

  /** The Redis server. Only for tests on a single server. */
  get redisEngine(): Engine {
    return this.redisPlace.engine!;
  }

  /** Opens another connection in addition to {@link redis}, as the default user. */
  connectToRedis(): RedisClient {
    return this.redisPlace.connect();
  }

  get keys(): RedisKeys {
    return keysIn(this.redis);
  }

  queueKey(queue: string, name: string): string {
    return queueKey(this.redis, queue, name);
  }

  async startWorker(settings: NodeJS.ProcessEnv = {}, dist?: string): Promise<void> {
    const { program, url } = await this.startAnother('worker.js', settings, dist);
    this.workerUrl = url;
    this.worker = program;
  }

  /** Freezes the worker at a moment when no program is in a transaction, whose locks would remain. */
  async pauseWorker(): Promise<void> {
    const inTransaction = `datname = current_database() and application_name = 'hongbao' and state <> 'idle'`;
    await waitFor(
      async () => {
        process.kill(this.worker!.pid, 'SIGSTOP');
        const open = await this.sql(`select from pg_stat_activity where ${inTransaction}`);
        if (open.length > 0) this.resumeWorker();
        return open.length === 0;
      },
      { what: 'a worker that is idle' },
    );
  }

  resumeWorker(): void {
    process.kill(this.worker!.pid, 'SIGCONT');
  }

  /** @param dist the compiled programs; by default those of this installation */
  async startAnother(
    script: 'main.js' | 'worker.js',
    settings: NodeJS.ProcessEnv = {},
    dist = this.dist,
    logFile?: string,
  ): Promise<{ program: Program; url: string }> {
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const env = { ...this.env, ...settings, PORT: port, WORKER_PORT: port };
    const program = await startServer(script, env, this.logDir, url, dist, logFile);
    this.others.push(program);
    return { program, url };
  }

  /** For a test that breaks what a program relies on, so that it must answer 500. */
  mayAnswer500(program: Program): void {
    this.faulty.add(program);
  }

  /** @throws Error with the log if a program has answered 500: nothing that a client sends may cause that */
  async stop(): Promise<void> {
    const programs = [this.api, ...this.others];
    await Promise.all(programs.map((program) => program.stop()));
    const faults = programs
      .filter((program) => !this.faulty.has(program))
      .map(({ output }) => output)
      .filter((output) => ANSWERED_500.test(output));
    this.redis.disconnect();
    await this.postgres.end();
    await Promise.all([this.redisPlace.stop(), this.database.drop()]);
    rmSync(this.logDir, { recursive: true, force: true });
    if (faults.length > 0) throw new Error(`A program has answered 500:\n${faults.join('\n')}`);
  }

  user(sub: string, url = this.url): Caller {
    return new Caller(url, this.tokenOf(sub));
  }

  tokenOf(sub: string, role: Role = 'user', channel = '1'): string {
    const claims = role === 'channel' ? { sub, role, channel_id: channel } : { sub, role };
    return signToken({ secret: JWT_SECRET }, claims);
  }

  /** The back end of a payout channel. */
  channel(id: string, url = this.url): Caller {
    return new Caller(url, this.tokenOf('shop', 'channel', id));
  }

  operator(sub = 'operator', url = this.url): Caller {
    return new Caller(url, this.tokenOf(sub, 'operator'));
  }

  as(role: Role, sub: string = role, url = this.url): Caller {
    return new Caller(url, this.tokenOf(sub, role));
  }

  /** A back end that acts for a user. */
  server(actFor: string, sub = 'backend'): Caller {
    return new Caller(this.url, this.tokenOf(sub, 'server'), { 'act-for': actFor });
  }

  /**
   * Number of sessions of this database that wait for a lock. Inside a transaction the count would
   * never change, because Postgres keeps the snapshot of its statistics.
   */
  async waitingForLocks(): Promise<number> {
    await this.sql('select pg_stat_clear_snapshot()');
    const waiting = `datname = current_database() and wait_event_type = 'Lock'`;
    return (await this.sql(`select from pg_stat_activity where ${waiting}`)).length;
  }

  /** Runs `work` while the connection of {@link sql} holds a lock. */
  async whileLocked(lock: string, work: () => Promise<void>): Promise<void> {
    await this.sql('begin');
    try {
      await this.sql(lock);
      await work();
    } finally {
      await this.sql('rollback');
    }
  }

  async sql<Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.postgres.query<Row>(query, values)).rows;
  }

  /** The first row of a result, which must not be empty. */
  async row<Row extends object>(query: string, values: unknown[] = []): Promise<Row> {
    const [row] = await this.sql<Row>(query, values);
    return row!;
  }

  /** The value of a metric that a program exposes; by default the API. */
  async metric(series: string, url = this.url): Promise<number> {
    const page = await (await fetch(`${url}/metrics`)).text();
    const line = page.split('\n').find((one) => one.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1));
  }

  /** Runs `verify` as an operator does. @throws Error with its output if an invariant is broken */
  verify(dist = this.dist): Promise<string> {
    return run('verify.js', this.env, this.logDir, dist);
  }

  /** Runs an operator's command. @throws Error with its output if it fails */
  command(name: string, settings: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
    return run(`${name}.js`, { ...this.env, ...settings }, this.logDir, this.dist, args);
  }

  migrate(dist = this.dist): Promise<string> {
    return migrate(this.database, this.env, this.logDir, dist);
  }

  /** Deposits the total for the sponsor and creates the activity, by default open for an hour. */
  async createActivity(activity: ActivityPlan = {}): Promise<string> {
    const body = planOf(activity);
    const operator = this.operator();
    const deposit = { amount: body.totalAmount, currency: body.currency };
    await insist(operator, `/v1/wallets/${body.sponsorId}/deposits`, deposit);
    return (await insist<{ id: string }>(operator, '/v1/activities', body)).id;
  }

  /** A deposit by an operator in the default currency, which must succeed. */
  async deposit(owner: string, amount: string): Promise<Answer> {
    const answer = await this.operator().post(`/v1/wallets/${owner}/deposits`, { amount });
    expect(answer).toMatchObject({ status: 201 });
    return answer;
  }

  closeActivity(activityId: string): Promise<Answer> {
    return this.operator().post(`/v1/activities/${activityId}/close`);
  }

  tap(activityId: string, user: string, options?: CallOptions): Promise<Answer> {
    return this.user(user).post(`/v1/activities/${activityId}/grabs`, undefined, options);
  }

  /** A tap that must win a packet. */
  async win(
    activityId: string,
    user: string,
    options?: CallOptions,
  ): Promise<{ redPacketId: string; amount: string }> {
    const { body } = await this.tap(activityId, user, options);
    expect(body).toMatchObject({ code: '0' });
    return body;
  }

  async settled(activityId: string, timeoutMs = 120_000): Promise<void> {
    const what = `the settlement of activity ${activityId}`;
    await waitFor(async () => (await this.proof(activityId)).claims.pending === 0, { timeoutMs, what });
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async proof(activityId: string): Promise<any> {
    return (await this.operator().get(`/v1/activities/${activityId}/reconciliation`)).body;
  }
}

export interface ActivityPlan {
  readonly admission?: 'open' | 'ticket';
  readonly limits?: Record<string, unknown>;
  readonly payout?: { readonly channelId: string };
  readonly name?: string;
  readonly sponsorId?: string;
  readonly totalAmount?: string;
  /** Must already exist, unless it is the default. */
  readonly currency?: string;
  readonly packetCount?: number;
  readonly split?: object;
  readonly pace?: object;
  readonly theme?: object;
  readonly showsBestLuck?: boolean;
  readonly audience?: object;
  readonly opensInMs?: number;
  readonly closesAt?: string;
}

/** The request body for an activity, which is open for an hour by default. */
export function planOf({ opensInMs = 0, ...plan }: ActivityPlan = {}) {
  const now = Date.now();
  return {
    name: 'Rain',
    sponsorId: 'sponsor',
    totalAmount: '100.00',
    packetCount: 10,
    split: { kind: 'random' },
    opensAt: new Date(now + opensInMs).toISOString(),
    closesAt: new Date(now + 3_600_000).toISOString(),
    ...plan,
  };
}

/** Returns the body of a 201. It retries under the same key, as clients do. */
async function insist<T = unknown>(caller: Caller, path: string, body: object): Promise<T> {
  const key = randomUUID();
  const mayChange = ({ status, body: { code } }: Answer) =>
    status === 503 || code === 'idempotency.in_flight';
  const ask = async () => {
    const answer = await caller.post(path, body, { key });
    return mayChange(answer) ? undefined : answer;
  };
  const answer = (await waitFor(ask, { what: `an answer to POST ${path}` }))!;
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as T;
}

export const cents = (amount: string): number => Math.round(Number(amount) * 100);

export const sumOf = (amounts: readonly string[]): number =>
  amounts.reduce((sum, amount) => sum + cents(amount), 0);

const migrate = (
  { url }: TestDatabase,
  env: NodeJS.ProcessEnv,
  logDir: string,
  dist?: string,
): Promise<string> => run('migrate.js', { ...env, MIGRATION_DATABASE_URL: url }, logDir, dist);

/** @throws Error with the output of the command if it fails */
async function run(
  command: string,
  env: NodeJS.ProcessEnv,
  logDir: string,
  dist?: string,
  args: readonly string[] = [],
): Promise<string> {
  const built = builtProgram(join('commands', command), env, logDir, dist);
  const program = await startNodeProgram({ ...built, args });
  await program.ended;
  if (program.exitCode !== 0) throw new Error(program.output);
  return program.output;
}

async function startServer(
  script: string,
  env: NodeJS.ProcessEnv,
  logDir: string,
  url: string,
  dist?: string,
  logFile?: string,
): Promise<Program> {
  const built = builtProgram(script, env, logDir, dist);
  const program = await startNodeProgram(logFile === undefined ? built : { ...built, logFile });
  await program.ready(() => isReady(url), READY_WITHIN_MS);
  return program;
}

const builtProgram = (
  script: string,
  env: NodeJS.ProcessEnv,
  logDir: string,
  dist = resolve('dist'),
): NodeProgram => ({
  name: script,
  script,
  dist,
  env,
  logFile: join(logDir, `${randomUUID()}.log`),
  stopWithinMs: STOP_WITHIN_MS,
});
