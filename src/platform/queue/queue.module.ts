import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Global, Module, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../config';
import { FAIL_FAST, WAIT_FOR_EVER } from '../redis';
import { catalogFaults } from './job-catalog';

/** The braces are a hash tag: all keys of all queues share one slot, as BullMQ's scripts need on a Redis Cluster. */
export const PREFIX = '{bull}';

/** Nobody listens to the queue's own events; a few are kept for inspection. */
const EVENTS_KEPT = 1_000;

function connectQueues(options: typeof FAIL_FAST | typeof WAIT_FOR_EVER): DynamicModule {
  return BullModule.forRootAsync({
    inject: [AppConfig],
    useFactory: (config: AppConfig) => ({
      prefix: PREFIX,
      connection: { url: config.REDIS_URL, ...options },
      streams: { events: { maxLen: EVENTS_KEPT } },
    }),
  });
}

/** For processes that only add jobs: they hear at once that the queue is away. */
@Global()
@Module({ imports: [connectQueues(FAIL_FAST)] })
export class ProducerQueueModule {}

/** For processes that work on jobs. Refuses to boot when a job has no processor, or several. */
@Global()
@Module({ imports: [connectQueues(WAIT_FOR_EVER)] })
export class ConsumerQueueModule implements OnModuleInit {
  onModuleInit(): void {
    const faults = catalogFaults();
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }
}
