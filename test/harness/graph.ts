import { getQueueToken } from '@nestjs/bullmq';
import { Logger, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Cluster, Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import type { RedisClient } from '../../libs/redis-scripts';
import { ApiModule } from '../../src/api.module';
import { ClaimLogWorkerModule } from '../../src/extensions/claim-log';
import { PayoutWorkerModule } from '../../src/extensions/payout';
import { Currencies } from '../../src/core/currency';
import { OutletModule } from '../../src/core/outlet';
import { VerificationModule } from '../../src/core/reconciliation';
import { invariants } from '../../src/invariants';
import { creditJob } from '../../src/core/wallet/settlement-job';
import { SettlementQueue } from '../../src/core/wallet/settlement-queue';
import { SettlementProcessor } from '../../src/core/wallet/settlement.processor';
import { SettlementRepository } from '../../src/core/wallet/settlement.repository';
import { SettlementService } from '../../src/core/wallet/settlement.service';
import { AppConfig } from '../../src/platform/config';
import { URGENT_POOL } from '../../src/platform/postgres';
import { REDIS, RedisConnections } from '../../src/platform/redis';
import { WorkerModule } from '../../src/worker.module';

type Token<T> = abstract new (...args: never[]) => T;

/** An injection token of the product, and the value that replaces it here. */
export type Replacement = readonly [token: unknown, value: unknown];

/** Connections that a test has opened. Services of one test may share them. */
export interface Engines {
  readonly config: AppConfig;
  readonly dataSource: DataSource;
  /** If absent, nothing is offered for settlement, and services that need Redis wait for it. */
  readonly redis?: RedisClient;
}

const NO_QUEUE: readonly Replacement[] = [
  [getQueueToken(creditJob.queue), {}],
  [SettlementQueue, {}],
  [RedisConnections, { forProducers: () => undefined, forWorkers: () => undefined }],
];

/**
 * The services of a program, wired by its own modules but not initialized: no task repeats, no job
 * is processed, no port is open.
 */
export class Graph {
  private constructor(
    readonly get: <T>(token: Token<T>) => T,
    readonly close: () => Promise<void>,
  ) {}

  /**
   * An API process, with the services that other programs use to pay and to verify.
   * @param without modules of extensions that are left out
   */
  static api(
    engines: Engines,
    replaced: readonly Replacement[] = [],
    without: readonly Type[] = [],
  ): Promise<Graph> {
    const { imports = [], ...api } = ApiModule.forRoot(configOf(engines));
    const program = {
      imports: [
        { ...api, imports: imports.filter((module) => !without.includes(module as Type)) },
        ...[ClaimLogWorkerModule, OutletModule, PayoutWorkerModule, VerificationModule.forRoot(invariants)],
      ],
      providers: [SettlementRepository, SettlementService],
    };
    return Graph.of(program, engines, replaced);
  }

  static worker(engines: Engines, replaced: readonly Replacement[] = []): Promise<Graph> {
    const noJobs: Replacement = [SettlementProcessor, {}];
    return Graph.of({ imports: [WorkerModule.forRoot(configOf(engines))] }, engines, [noJobs, ...replaced]);
  }

  private static async of(
    program: Parameters<typeof Test.createTestingModule>[0],
    { dataSource, redis }: Engines,
    replaced: readonly Replacement[],
  ): Promise<Graph> {
    const building = Test.createTestingModule(program);
    const connections: Replacement[] = [
      [DataSource, dataSource],
      [URGENT_POOL, dataSource],
      [REDIS, redis ?? new Redis({ lazyConnect: true })],
      ...(redis ? [] : NO_QUEUE),
    ];
    for (const [token, value] of [...connections, ...replaced])
      building.overrideProvider(token).useValue(value);
    const module = await building.compile();
    if (await isMigrated(dataSource)) await module.get(Currencies, { strict: false }).enterDefault();
    // Compiling installs a logger that prints errors, and tests cause many of them.
    Logger.overrideLogger(false);
    return new Graph(
      (token) => module.get(token, { strict: false }),
      () => module.close(),
    );
  }
}

/** Tests of migrations open databases that have no tables yet. */
async function isMigrated(dataSource: DataSource): Promise<boolean> {
  if (!dataSource.isInitialized) return false;
  const [row] = await dataSource.query<{ found: boolean }[]>(
    `select to_regclass('currency') is not null as found`,
  );
  return row!.found;
}

/** Queues open their own connections. */
function configOf({ config, redis }: Engines): AppConfig {
  if (!redis) return config;
  return Object.assign(new AppConfig(), config, placeOf(redis));
}

function placeOf(redis: RedisClient): Partial<AppConfig> {
  if (!(redis instanceof Cluster)) return placeOfOne(redis);
  const nodes = redis.nodes().map(({ options }) => ({ host: options.host!, port: options.port! }));
  return { REDIS_URL: undefined, REDIS_CLUSTER_NODES: nodes };
}

function placeOfOne(redis: Redis): Partial<AppConfig> {
  const { sentinels, name } = redis.options;
  if (!sentinels) return { REDIS_URL: urlOf(redis), REDIS_CLUSTER_NODES: undefined };
  const addresses = sentinels.map(({ host, port }) => ({ host: host!, port: port! }));
  return { REDIS_URL: undefined, REDIS_SENTINELS: addresses, REDIS_SENTINEL_NAME: name! };
}

const urlOf = ({ options }: Redis): string => `redis://${options.host}:${options.port}`;
