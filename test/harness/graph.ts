import { getQueueToken } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { ApiModule } from '../../src/api.module';
import { VerificationModule } from '../../src/modules/reconciliation';
import { creditJob } from '../../src/modules/wallet/settlement-job';
import { SettlementQueue } from '../../src/modules/wallet/settlement-queue';
import { SettlementProcessor } from '../../src/modules/wallet/settlement.processor';
import { SettlementRepository } from '../../src/modules/wallet/settlement.repository';
import { SettlementService } from '../../src/modules/wallet/settlement.service';
import { AppConfig } from '../../src/platform/config';
import { REDIS } from '../../src/platform/redis';
import { WorkerModule } from '../../src/worker.module';

type Token<T> = abstract new (...args: never[]) => T;

/** A token of the product, and what stands for it here. */
export type Replacement = readonly [token: unknown, value: unknown];

/** What a test has opened. Services of one test may share it. */
export interface Engines {
  readonly config: AppConfig;
  readonly dataSource: DataSource;
  /** Where there is none, nothing is offered for settlement, and whatever else wants Redis waits for it. */
  readonly redis?: Redis;
}

const NO_QUEUE: readonly Replacement[] = [
  [getQueueToken(creditJob.queue), {}],
  [SettlementQueue, {}],
];

/**
 * The services of a program, joined by its own modules. Nothing happens by itself: the modules are not initialized, so no
 * task repeats, no job is processed and no port is open.
 */
export class Graph {
  private constructor(
    readonly get: <T>(token: Token<T>) => T,
    /** The connections to the engines as well. */
    readonly close: () => Promise<void>,
  ) {}

  /** With what other programs do when a test asks for it: to pay, and to verify. */
  static api(engines: Engines, replaced: readonly Replacement[] = []): Promise<Graph> {
    const program = {
      imports: [ApiModule.forRoot(configOf(engines)), VerificationModule],
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
      [REDIS, redis ?? new Redis({ lazyConnect: true })],
      ...(redis ? [] : NO_QUEUE),
    ];
    for (const [token, value] of [...connections, ...replaced])
      building.overrideProvider(token).useValue(value);
    const module = await building.compile();
    // Compiling gives it a logger that prints errors, and tests make many.
    Logger.overrideLogger(false);
    return new Graph(
      (token) => module.get(token, { strict: false }),
      () => module.close(),
    );
  }
}

/** Queues open connections of their own. */
function configOf({ config, redis }: Engines): AppConfig {
  if (!redis) return config;
  const { host, port } = redis.options;
  return Object.assign(new AppConfig(), config, { REDIS_URL: `redis://${host}:${port}` });
}
