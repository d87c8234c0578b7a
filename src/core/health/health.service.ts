import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { within } from '../../../libs/deadline';
import { must, type ProblemFactory } from '../../../libs/problem';
import { Servers } from '../../../libs/redis-scripts';
import { sharedLook } from '../../../libs/shared-look';
import { Faults, Readiness } from '../../platform/http';
import { isReadOnly, type Schema, SCHEMA, schemaDifference } from '../../platform/postgres';
import { evictingPolicy } from '../../platform/redis';
import { RedisMemory } from '../dispenser';
import { dependenciesFail, notReady } from './health.error';

const CHECK_TIMEOUT_MS = 1_000;
/** Shorter than the limit of a check, so that the last answer can replace a late one. */
const SCHEMA_TIMEOUT_MS = 500;

/** Undefined if all is well, otherwise words that strangers may read. */
type Fault = string | undefined;
type Checks = Record<string, () => Fault | Promise<Fault>>;

/**
 * Answers whether this process may receive requests, and whether its dependencies are healthy. The
 * first does not depend on the second: an engine that is down is down for every process, and each
 * process still answers honestly. No check reveals where anything runs, and no engine is asked more
 * than once a second, however many strangers ask.
 */
@Injectable()
export class HealthService {
  private readonly logger = new Logger('Health');
  private lastSchemaFault: Fault;

  private readonly ofProcess: Checks = {
    process: () => (this.readiness.isLeaving ? 'is shutting down' : undefined),
    schema: () => this.schemaFault(),
  };

  private readonly ofDependencies: Checks = {
    postgres: sharedLook(() => this.postgresFault()),
    redis: sharedLook(() => this.redisFault()),
    eviction: sharedLook(() => this.evictionFault()),
  };

  private readonly schemaLook = sharedLook(() => this.readSchemaFault());

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(SCHEMA) private readonly schema: Schema,
    private readonly servers: Servers,
    private readonly redisMemory: RedisMemory,
    private readonly readiness: Readiness,
    private readonly faults: Faults,
  ) {}

  /**
   * @returns the names of all checks, each `ok`
   * @throws Problem `health.not_ready` that names each failed check
   */
  ready(): Promise<Record<string, 'ok'>> {
    return this.expectAll(this.ofProcess, notReady);
  }

  /**
   * @returns the names of all checks, each `ok`
   * @throws Problem `health.dependencies_fail` that names each failed check and each reported fault
   */
  dependencies(): Promise<Record<string, 'ok'>> {
    return this.expectAll(this.ofDependencies, dependenciesFail, this.faults.standing);
  }

  private async expectAll(
    checks: Checks,
    problem: ProblemFactory,
    reported: Iterable<[string, string]> = [],
  ): Promise<Record<string, 'ok'>> {
    const names = Object.keys(checks);
    const faults = await Promise.all(names.map((name) => this.faultOf(name, checks[name]!)));
    const fields = faults.flatMap((message, i) =>
      message === undefined ? [] : [{ field: names[i]!, ...must.beHealthy(message) }],
    );
    for (const [field, message] of reported) fields.push({ field, ...must.beHealthy(message) });
    if (fields.length === 0) return Object.fromEntries(names.map((name) => [name, 'ok']));
    const failing = fields.map(({ field, message }) => `${field} ${message}`).join(', ');
    throw problem(`${problem.definition.title}: ${failing}.`, { fields, retryAfterSeconds: 1 });
  }

  private async faultOf(name: string, check: Checks[string]): Promise<Fault> {
    try {
      return await within(CHECK_TIMEOUT_MS, Promise.resolve(check()));
    } catch (error) {
      this.logger.warn(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return 'is not reachable';
    }
  }

  /** The last known fault while Postgres is down. A program does not start without a schema that fits. */
  private async schemaFault(): Promise<Fault> {
    try {
      this.lastSchemaFault = await within(SCHEMA_TIMEOUT_MS, this.schemaLook());
    } catch (error) {
      this.logger.warn(`schema: ${String(error)}`);
    }
    return this.lastSchemaFault;
  }

  private async readSchemaFault(): Promise<Fault> {
    const { missing, unknown } = await schemaDifference(this.dataSource, this.schema);
    if (unknown.length > 0) return 'is ahead of this program';
    if (missing.length > 0) return 'is behind this program';
    return undefined;
  }

  private async postgresFault(): Promise<Fault> {
    return (await isReadOnly(this.dataSource)) ? 'is read-only' : undefined;
  }

  private async redisFault(): Promise<Fault> {
    await this.servers.expectAll();
    return this.redisMemory.refusesWrites ? 'refuses writes' : undefined;
  }

  private async evictionFault(): Promise<Fault> {
    const policy = await evictingPolicy(this.servers);
    return policy && `policy is ${policy}, not noeviction`;
  }
}
