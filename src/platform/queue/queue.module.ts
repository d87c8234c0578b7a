import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Global, Module, type OnModuleInit } from '@nestjs/common';
import type { RedisClient } from '../../../libs/redis-scripts';
import { AppConfig } from '../config';
import { RedisConnections } from '../redis';
import { catalogFaults, type JobDefinition } from './job-catalog';

/**
 * The braces are a hash tag: all keys of a queue share one slot, as BullMQ's scripts need. In a cluster each
 * queue has its own slot, so that one master does not carry them all.
 */
export const prefixOf = (queue: string, { REDIS_CLUSTER_NODES }: AppConfig): string =>
  REDIS_CLUSTER_NODES === undefined ? '{bull}' : `{bull:${queue}}`;

/** Nothing listens to events of the queue. */
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

export const queueOf = ({ queue }: JobDefinition): DynamicModule =>
  BullModule.registerQueueAsync({
    name: queue,
    inject: [AppConfig],
    useFactory: (config: AppConfig) => ({ prefix: prefixOf(queue, config) }),
  });

/** Processes that only add jobs: an add fails at once while the queue is down. */
@Global()
@Module({ imports: [connectQueues((connections) => connections.forProducers())] })
export class ProducerQueueModule {}

/** For processes that work on jobs. Refuses to boot if a job does not have exactly one processor. */
@Global()
@Module({ imports: [connectQueues((connections) => connections.forWorkers())] })
export class ConsumerQueueModule implements OnModuleInit {
  onModuleInit(): void {
    const faults = catalogFaults();
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }
}
