import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type Job, Queue, Worker } from 'bullmq';
import type { RedisClient } from '../../../libs/redis-scripts';
import { AppConfig } from '../config';
import { RedisConnections } from '../redis';
import { WORKER } from './job-catalog';
import { closeApart } from './close-in-time';
import { prefixOf } from './queue.module';
import { restIfRefused } from './rest-if-refused';

/**
 * Queues that are named while the program runs. Each has its own workers, so that none can delay another. A
 * worker needs its own connection only to wait for jobs.
 */
@Injectable()
export class RunTimeQueues implements OnApplicationShutdown {
  private readonly logger = new Logger('RunTimeQueues');
  private readonly parts = new Set<Queue | Worker>();
  private redis?: RedisClient;

  constructor(
    private readonly connections: RedisConnections,
    private readonly config: AppConfig,
  ) {}

  openQueue<Payload>(name: string): Queue<Payload> {
    const queue = new Queue<Payload>(name, this.optionsOf(name));
    this.parts.add(queue);
    return queue.on('error', this.warn);
  }

  openWorker<Payload>(
    name: string,
    concurrency: number,
    work: (job: Job<Payload>) => Promise<unknown>,
  ): Worker<Payload> {
    const worker = new Worker<Payload>(name, work, { ...WORKER, ...this.optionsOf(name), concurrency });
    this.parts.add(worker);
    return worker.on('error', (error) => {
      this.warn(error);
      restIfRefused(worker, error);
    });
  }

  /** The key identifies the server that holds the queue. */
  keyOf(name: string): string {
    return `${prefixOf(name, this.config)}:${name}:meta`;
  }

  async close(part: Queue | Worker): Promise<void> {
    this.parts.delete(part);
    await closeApart(part);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(Array.from(this.parts, (part) => this.close(part)));
  }

  private optionsOf(name: string) {
    this.redis ??= this.connections.forWorkers();
    return { prefix: prefixOf(name, this.config), connection: this.redis };
  }

  private readonly warn = (error: Error): void => this.logger.warn(error.message);
}
