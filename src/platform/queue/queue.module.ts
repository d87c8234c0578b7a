import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Global, Module, type OnModuleInit } from '@nestjs/common';
import type { RedisClient } from '../../../libs/redis-scripts';
import { AppConfig } from '../config';
import { RedisConnections } from '../redis';
import { catalogFaults, type JobDefinition } from './job-catalog';

/**
 * What the names of all keys of a queue begin with. The braces are a hash tag: they share one slot, as BullMQ's scripts need.
 * In a cluster each queue has a slot of its own, so that one master does not carry all of them.
 */
export const prefixOf = (queue: string, { REDIS_CLUSTER_NODES }: AppConfig): string =>
  REDIS_CLUSTER_NODES === undefined ? '{bull}' : `{bull:${queue}}`;

/** Nobody listens to the queue's own events; a few are kept for inspection. */
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

/** The queue of a job, for the modules that add to it. */
export const queueOf = ({ queue }: JobDefinition): DynamicModule =>
  BullModule.registerQueueAsync({
    name: queue,
    inject: [AppConfig],
    useFactory: (config: AppConfig) => ({ prefix: prefixOf(queue, config) }),
  });

/** For processes that only add jobs: they hear at once that the queue is away. */
@Global()
@Module({ imports: [connectQueues((connections) => connections.forProducers())] })
export class ProducerQueueModule {}

/** For processes that work on jobs. Refuses to boot when a job has no processor, or several. */
@Global()
@Module({ imports: [connectQueues((connections) => connections.forWorkers())] })
export class ConsumerQueueModule implements OnModuleInit {
  onModuleInit(): void {
    const faults = catalogFaults();
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }
}
