import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type Engine, startPostgres, startRedis } from '../../src/dev/engines';
import { verifySystem } from '../../src/dev/local/verify-system';
import { runMigrations } from '../../src/platform/postgres';
import { schema } from '../../src/schema';
import { NO_RATE_LIMITS, openActivity, operatorOf, redisIsTrusted } from '../bench/api';
import { JWT_SECRET, type Server, startProduct } from '../bench/product';
import type { Stage } from '../bench/stage';
import { until } from '../bench/until';
import { type Backups, destroy } from './backups';
import { winAll } from './taps';
import type { Kept, Told } from './told';

const localDir = process.env.LOCAL_DIR || '.local';
const WITHIN_MS = 600_000;
const POLL_MS = 100;

const SETTINGS = { ...NO_RATE_LIMITS, CLAIM_LOG_KEY: randomBytes(32).toString('base64') };

/** An API and a worker on engines of their own, whose Postgres archives its log. */
export class System {
  private api!: Server;
  private worker!: Server;

  private constructor(
    private readonly stage: Stage,
    private postgres: Engine,
    private redis: Engine,
  ) {}

  static async start(stage: Stage, backups: Backups): Promise<System> {
    const first = await startDurable(stage.newDir('postgres'));
    await runMigrations(first.url, schema);
    await backups.archiveLogOf(first);
    await first.stop();
    const system = new System(stage, await startDurable(first.dataDir), await redisIn(stage));
    stage.atEnd(() => Promise.all([system.postgres.stop(), system.redis.stop()]));
    await system.startPrograms();
    return system;
  }

  get port(): number {
    return this.api.port;
  }

  get database(): Engine {
    return this.postgres;
  }

  open(packets: number): Promise<string> {
    return openActivity(operatorOf(this.api), packets);
  }

  /** Plays a rain with as many users as packets, and closes it. */
  async play(packets: number): Promise<Told[]> {
    const id = await this.open(packets);
    const users = Array.from({ length: packets }, (_, i) => `user-${id}-${i}`);
    const told = await winAll(this.port, id, users);
    await operatorOf(this.api).closeActivity(id);
    return told;
  }

  async losePostgres(): Promise<void> {
    await destroy(this.postgres);
  }

  async loseRedis(): Promise<void> {
    await destroy(this.redis);
    this.redis = await redisIn(this.stage);
  }

  /** Starts Postgres in a restored directory. Returns when it has replayed the archive. */
  async recover(dataDir: string): Promise<void> {
    this.postgres = await startDurable(dataDir);
    const isOver = async () => {
      const [row] = await this.ask<{ recovers: boolean }>('select pg_is_in_recovery() as recovers');
      return !row!.recovers;
    };
    await until(isOver, 'the end of recovery', WITHIN_MS, POLL_MS);
  }

  async startPrograms(): Promise<void> {
    const engines = { databaseUrl: this.postgres.url, redisUrl: this.redis.url };
    [this.api, this.worker] = await Promise.all([
      startProduct(this.stage, 'api', engines, SETTINGS),
      startProduct(this.stage, 'worker', engines, SETTINGS),
    ]);
  }

  async stopPrograms(): Promise<void> {
    await Promise.all([this.api.stop(), this.worker.stop()]);
  }

  /** Waits until Redis is right, every claim is credited, and the log of claims has it. */
  async settled(): Promise<void> {
    await redisIsTrusted(this.api);
    const isSettled = async () => {
      const [row] = await this.ask<{ settled: boolean }>(
        `select not exists (select from unsettled_claim)
                and (select count(*) from claim) = (select coalesce(max(tree_size), 0) from claim_checkpoint) as settled`,
      );
      return row!.settled;
    };
    await until(isSettled, 'everything to be settled', WITHIN_MS, POLL_MS);
  }

  verify(): Promise<{ balanced: boolean; output: string }> {
    return verifySystem({
      databaseUrl: this.postgres.url,
      redisUrl: this.redis.url,
      jwtSecret: JWT_SECRET,
      logDir: this.stage.newDir('logs'),
    });
  }

  claims(): Promise<Kept[]> {
    return this.ask(
      `select activity_id as "activityId", user_id as "userId", packet_no as "packetNo", amount_minor as "amountMinor"
         from claim`,
    );
  }

  /** Returns when the transaction of the last claim began that Postgres has. */
  async lastClaimAtMs(): Promise<number> {
    const [row] = await this.ask<{ at: Date }>('select max(confirmed_at) as at from claim');
    return row!.at.getTime();
  }

  private async ask<Row extends object>(text: string): Promise<Row[]> {
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }
}

const startDurable = (dataDir: string): Promise<Engine> => startPostgres({ localDir, dataDir, alone: true });

const redisIn = (stage: Stage): Promise<Engine> => startRedis({ localDir, dataDir: stage.newDir('redis') });
