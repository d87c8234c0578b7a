import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { within } from '../../../libs/deadline';
import { Readiness } from '../../platform/http';
import { isReadOnly, type Schema, SCHEMA, schemaDifference } from '../../platform/postgres';
import { evictionPolicy, REDIS } from '../../platform/redis';
import { RedisRoom } from '../dispenser';
import { notReady } from './health.error';

const CHECK_TIMEOUT_MS = 1_000;

/** Nothing when all is well, else what is wrong, in words that are fit for strangers. */
type Fault = string | undefined;
type Check = () => Fault | Promise<Fault>;

/** Says whether this process should be sent requests. Each check is bounded; none tells where anything runs. */
@Injectable()
export class HealthService {
  private readonly logger = new Logger('Health');

  private readonly checks: Record<string, Check> = {
    process: () => (this.readiness.isLeaving ? 'is shutting down' : undefined),
    postgres: () => this.postgresFault(),
    schema: () => this.schemaFault(),
    redis: () => this.redisFault(),
    eviction: () => this.evictionFault(),
  };

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(SCHEMA) private readonly schema: Schema,
    @Inject(REDIS) private readonly redis: Redis,
    private readonly redisRoom: RedisRoom,
    private readonly readiness: Readiness,
  ) {}

  /**
   * @returns the names of all checks, each `ok`
   * @throws Problem `health.not_ready` that names each check that failed
   */
  async ready(): Promise<Record<string, 'ok'>> {
    const names = Object.keys(this.checks);
    const faults = await Promise.all(names.map((name) => this.faultOf(name, this.checks[name]!)));
    const fields = faults.flatMap((message, i) =>
      message === undefined ? [] : [{ field: names[i]!, message }],
    );
    for (const [field, message] of this.readiness.faults) fields.push({ field, message });
    if (fields.length === 0) return Object.fromEntries(names.map((name) => [name, 'ok']));
    const failing = fields.map(({ field, message }) => `${field} ${message}`).join(', ');
    throw notReady(`Not ready: ${failing}.`, { fields, retryAfterSeconds: 1 });
  }

  private async faultOf(name: string, check: Check): Promise<Fault> {
    try {
      return await within(CHECK_TIMEOUT_MS, Promise.resolve(check()));
    } catch (error) {
      this.logger.warn(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return 'is not reachable';
    }
  }

  private async postgresFault(): Promise<Fault> {
    return (await isReadOnly(this.dataSource)) ? 'is read-only' : undefined;
  }

  private async schemaFault(): Promise<Fault> {
    const { missing, unknown } = await schemaDifference(this.dataSource, this.schema);
    if (unknown.length > 0) return 'is ahead of this program';
    if (missing.length > 0) return 'is behind this program';
    return undefined;
  }

  private async redisFault(): Promise<Fault> {
    await this.redis.ping();
    return this.redisRoom.refusesWrites ? 'refuses writes' : undefined;
  }

  private async evictionFault(): Promise<Fault> {
    const policy = await evictionPolicy(this.redis);
    return policy === 'noeviction' ? undefined : `policy is ${policy}, not noeviction`;
  }
}
