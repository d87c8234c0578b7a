import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ForeignRedis, OwnRedis, type RedisClient } from '../../../libs/redis-scripts';
import { Faults } from '../../platform/http';
import { askAtStart, REDIS } from '../../platform/redis';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { ShardHistories, type Trust } from './shard-histories';

const LOOK_EVERY_MS = 500;
const FOREIGN = 'belongs to another installation';
const OTHER_HISTORY = 'has another history; Redis is being corrected';

interface Known {
  readonly isTrusted: boolean;
  readonly isSameHistory: boolean;
  /** The connection over which this was read. It says nothing about a server behind another connection. */
  readonly connection: number;
}

/**
 * Tracks, shard by shard, whether Redis remembers the winners. Trust ends when the connection to its server
 * is lost, or leads to another server, and returns when a worker has given the shard all claims. In between,
 * "sold-out" and "closed" are only what Redis believes, and must not be answered to a winner.
 *
 * It also reports when Redis belongs to another installation, or remembers what Postgres has lost.
 */
@Injectable()
export class RedisTrust implements OnModuleInit {
  private readonly logger = new Logger('RedisTrust');
  private readonly gauges;
  private readonly known: Known[] = [];

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly own: OwnRedis,
    private readonly histories: ShardHistories,
    private readonly faults: Faults,
    metrics: Metrics,
  ) {
    this.gauges = {
      trusted: metrics.gauge({
        name: 'hongbao_redis_trusted',
        help: '1 while every shard has been told all claims since its server started; 0 for more than a few seconds means that no worker does it',
      }),
      shards: metrics.gauges({
        name: 'hongbao_shard_trusted',
        help: '1 while a shard has been told all claims since its server started',
        label: 'shard',
        values: own.keys.shards.map(String),
      }),
      redis: metrics.gauge({
        name: 'hongbao_redis_foreign',
        help: '1 while the configuration leads to a Redis that belongs to another installation',
      }),
      postgres: metrics.gauge({
        name: 'hongbao_postgres_history_changed',
        help: '1 from the moment Postgres has come back without commits that Redis remembers until Redis is corrected',
      }),
    };
  }

  trusts(shard: number): boolean {
    const known = this.known[shard];
    if (!known?.isTrusted || !known.isSameHistory) return false;
    return known.connection === this.own.connectionTo(shard);
  }

  /** True if a claim that this shard calls confirmed is in Postgres. */
  hasSameHistory(shard: number): boolean {
    return this.known[shard]?.isSameHistory ?? false;
  }

  get isTrusted(): boolean {
    return this.own.keys.shards.every((shard) => this.trusts(shard));
  }

  get isSameHistory(): boolean {
    return this.own.keys.shards.every((shard) => this.known[shard]?.isSameHistory);
  }

  /** @throws ForeignRedis */
  async onModuleInit(): Promise<void> {
    await askAtStart(() => this.own.acquire());
  }

  @Repeats('RedisTrust', LOOK_EVERY_MS)
  async renewTrust(): Promise<void> {
    try {
      if (this.redis.status === 'ready') await this.lookAtShards();
    } finally {
      for (const shard of this.own.keys.shards) this.gauges.shards[shard]!.set(this.trusts(shard) ? 1 : 0);
      this.gauges.trusted.set(this.isTrusted ? 1 : 0);
    }
  }

  private async lookAtShards(): Promise<void> {
    try {
      const connections = this.own.keys.shards.map((shard) => this.own.connectionTo(shard));
      const trusts = await this.histories.judgeShards();
      await this.acquire(trusts);
      for (const trust of trusts) this.believe(trust, connections[trust.notes.shard]!);
      this.report('redis', undefined);
      this.report('postgres', this.own.ahead.size > 0 ? OTHER_HISTORY : undefined);
      await this.histories.raise(trusts);
    } catch (error) {
      if (!(error instanceof ForeignRedis)) throw error;
      this.known.length = 0;
      this.report('redis', FOREIGN);
    }
  }

  private async acquire(trusts: readonly Trust[]): Promise<void> {
    this.own.recognize(trusts.map(({ notes }) => notes.owner));
    const nobodys = trusts.filter(({ notes }) => notes.owner === null);
    await this.own.acquire(nobodys.map(({ notes }) => notes.shard));
  }

  /** A shard without an owner has forgotten everything, whatever it notes. */
  private believe({ notes, isSameHistory }: Trust, connection: number): void {
    const isOurs = this.own.installation === '' || notes.owner === this.own.installation;
    this.known[notes.shard] = { isTrusted: notes.isTrusted && isOurs, isSameHistory, connection };
  }

  /** Logs one line when a fault begins, and one when it is over. */
  private report(part: 'redis' | 'postgres', fault: string | undefined): void {
    if (!this.faults.report(part, fault)) return;
    this.gauges[part].set(fault === undefined ? 0 : 1);
    if (fault === undefined) this.logger.log(`${part}: all is well again.`);
    else this.logger.error(`${part} ${fault}.`);
  }
}
