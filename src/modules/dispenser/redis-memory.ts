import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { ForeignRedis, OwnRedis } from '../../../libs/redis-scripts';
import { Faults } from '../../platform/http';
import { REDIS } from '../../platform/redis';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { RedisTrust, type Trust } from './redis-trust';

const LOOK_EVERY_MS = 500;
const FOREIGN = 'belongs to another installation';
const OTHER_HISTORY = 'has another history; Redis is being set right';

/**
 * Whether Redis remembers who won. From the moment a connection is lost until a worker has told the server all claims,
 * "sold-out" and "closed" are only what Redis believes: a winner must not hear them.
 *
 * Also says when Redis belongs to another installation, and when it remembers what Postgres has lost.
 */
@Injectable()
export class RedisMemory implements OnModuleInit {
  private trusted = false;
  private sameHistory = false;
  /** Connections lost so far: what was read over one of them says nothing about the server that answers now. */
  private losses = 0;
  private readonly logger = new Logger('RedisMemory');
  private readonly gauges;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly own: OwnRedis,
    private readonly trust: RedisTrust,
    private readonly faults: Faults,
    metrics: Metrics,
  ) {
    this.gauges = {
      trusted: metrics.gauge({
        name: 'hongbao_redis_trusted',
        help: '1 while Redis has been told all claims since it started; 0 for more than a few seconds: no worker does it',
      }),
      redis: metrics.gauge({
        name: 'hongbao_redis_foreign',
        help: '1 while REDIS_URL leads to a Redis that belongs to another installation',
      }),
      postgres: metrics.gauge({
        name: 'hongbao_postgres_history_changed',
        help: '1 from the moment Postgres has come back without commits that Redis remembers until Redis is set right',
      }),
    };
  }

  get isTrusted(): boolean {
    return this.trusted && this.sameHistory;
  }

  /** Whether a claim that Redis calls confirmed is in Postgres. */
  get isSameHistory(): boolean {
    return this.sameHistory;
  }

  /** @throws ForeignRedis */
  async onModuleInit(): Promise<void> {
    this.redis.on('close', () => {
      this.losses += 1;
      this.trusted = false;
    });
    await this.own.acquire();
  }

  @Repeats('RedisMemory', LOOK_EVERY_MS)
  async look(): Promise<void> {
    this.trusted &&= this.redis.status === 'ready';
    if (this.redis.status === 'ready') await this.lookAtRedis();
    this.gauges.trusted.set(this.isTrusted ? 1 : 0);
  }

  private async lookAtRedis(): Promise<void> {
    try {
      await this.own.acquire([0]);
      const { losses } = this;
      const trust = await this.trust.look();
      if (losses !== this.losses) return;
      this.believe(trust);
      await this.trust.raise(trust);
    } catch (error) {
      if (!(error instanceof ForeignRedis)) throw error;
      this.trusted = this.sameHistory = false;
      this.report('redis', FOREIGN);
    }
  }

  private believe({ notes, isSameHistory }: Trust): void {
    this.trusted = notes.isTrusted;
    this.sameHistory = isSameHistory;
    this.report('redis', undefined);
    this.report('postgres', this.own.isAhead ? OTHER_HISTORY : undefined);
  }

  /** A line when it begins, and one when it is over. */
  private report(part: 'redis' | 'postgres', fault: string | undefined): void {
    if (!this.faults.report(part, fault)) return;
    this.gauges[part].set(fault === undefined ? 0 : 1);
    if (fault === undefined) this.logger.log(`${part}: all is well again.`);
    else this.logger.error(`${part} ${fault}.`);
  }
}
