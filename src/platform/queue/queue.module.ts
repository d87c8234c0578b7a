import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Global, Module, type OnModuleInit } from '@nestjs/common';
import type { RedisClient } from '../../../libs/redis-scripts';
import { AppConfig } from '../config';
import { RedisConnections } from '../redis';
import { catalogFaults, type JobDefinition } from './job-catalog';

/**
 * Prefix of all keys of a queue. The braces are a hash tag: the keys share one slot, as BullMQ's
 * scripts need. In a cluster each queue has its own slot, so that one master does not carry all
 * queues.
 */
export const prefixOf = (queue: string, { REDIS_CLUSTER_NODES }: AppConfig): string =>
  REDIS_CLUSTER_NODES === undefined ? '{bull}' : `{bull:${queue}}`;

/** Events of the queue have no listeners. A few are kept for inspection. */
const EVENTS_KEPT = 1_000;

function connectQueues(connect: (connections: RedisConnections) => RedisClient): DynamicModule {
  return BullModule.forRootAsync({
    inject: [RedisConnections],
    useFactory: (connections: RedisConnections) => ({
      connection: connect(connections),
      streams: { events: { maxLen: EVENTS_KEPT } },
    }),
  });
}

/** Provides the queue of a job, for the modules that add to it. */
export const queueOf = ({ queue }: JobDefinition): DynamicModule =>
  BullModule.registerQueueAsync({
    name: queue,
    inject: [AppConfig],
    useFactory: (config: AppConfig) => ({ prefix: prefixOf(queue, config) }),
  });

/** The module of processes that only add jobs. An add fails at once while the queue is down. */
@Global()
@Module({ imports: [connectQueues((connections) => connections.forProducers())] })
export class ProducerQueueModule {}

/**
 * The module of processes that work on jobs. It refuses to boot when a job has no processor, or
 * several.
 */
@Global()
@Module({ imports: [connectQueues((connections) => connections.forWorkers())] })
export class ConsumerQueueModule implements OnModuleInit {
  onModuleInit(): void {
    const faults = catalogFaults();
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }
}
