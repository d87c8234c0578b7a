import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { AppConfig } from '../config';
import { WAIT_FOR_EVER } from '../redis';
import { WORKER } from './job-catalog';
import { closeInTime } from './close-in-time';
import { PREFIX } from './queue.module';
import { restWhenRefused } from './rest-when-refused';

/**
 * Queues whose names are known only while the program runs, each with workers of its own, so that what one of them carries
 * cannot hold up another. All share one connection; a worker needs one of its own only to wait for jobs.
 */
@Injectable()
export class RunTimeQueues implements OnApplicationShutdown {
  private readonly logger = new Logger('RunTimeQueues');
  private readonly parts = new Set<Queue | Worker>();
  private redis?: Redis;

  constructor(private readonly config: AppConfig) {}

  openQueue<Payload>(name: string): Queue<Payload> {
    const queue = new Queue<Payload>(name, { prefix: PREFIX, connection: this.connection() });
    this.parts.add(queue);
    return queue.on('error', this.warn);
  }

  openWorker<Payload>(
    name: string,
    concurrency: number,
    work: (job: Job<Payload>) => Promise<unknown>,
  ): Worker<Payload> {
    const options = { ...WORKER, prefix: PREFIX, connection: this.connection(), concurrency };
    const worker = new Worker<Payload>(name, work, options);
    this.parts.add(worker);
    restWhenRefused(worker);
    return worker.on('error', this.warn);
  }

  async close(part: Queue | Worker): Promise<void> {
    this.parts.delete(part);
    await closeInTime(part);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(Array.from(this.parts, (part) => this.close(part)));
    this.redis?.disconnect();
  }

  private connection(): Redis {
    this.redis ??= new Redis(this.config.REDIS_URL, WAIT_FOR_EVER);
    return this.redis;
  }

  private readonly warn = (error: Error): void => this.logger.warn(error.message);
}
