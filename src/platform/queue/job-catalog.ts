import { Processor } from '@nestjs/bullmq';
import type { JobsOptions, WorkerOptions } from 'bullmq';

/** What a queue carries and how it is retried. One job per queue, so that one kind of work cannot starve another. */
export interface JobDefinition {
  readonly queue: string;
  readonly name: string;
  /** Runs in all, the first one included. */
  readonly attempts: number;
  /** Delay before the second run in milliseconds; doubles each time, half of it random. */
  readonly backoffMs: number;
}

const catalog = new Map<string, JobDefinition>();
const processors = new Map<string, string[]>();

/** Enters a job into the catalogue of the system. */
export function defineJob(job: JobDefinition): JobDefinition {
  if (catalog.has(job.queue)) throw new Error(`Queue ${job.queue} is defined twice.`);
  catalog.set(job.queue, job);
  return job;
}

/**
 * A worker that is killed holds its jobs until their locks run out: with BullMQ's defaults for about a minute. Stalling
 * is no reason to fail a job for good either, since every job here may run any number of times.
 */
export const WORKER: Partial<WorkerOptions> = {
  lockDuration: 5_000,
  stalledInterval: 2_000,
  maxStalledCount: 1_000,
  runRetryDelay: 1_000,
};

/** Marks the one class (a `WorkerHost`) that processes a job. */
export function Processes(job: JobDefinition): ClassDecorator {
  return (target) => {
    processors.set(job.queue, [...(processors.get(job.queue) ?? []), target.name]);
    Processor(job.queue, WORKER)(target);
  };
}

/** Jobs that nobody, or more than one class, processes: a program with such a job must not start. */
export function catalogFaults(): string[] {
  return Array.from(catalog.keys(), (queue) => ({ queue, classes: processors.get(queue) ?? [] }))
    .filter(({ classes }) => classes.length !== 1)
    .map(
      ({ queue, classes }) =>
        `Queue ${queue} has ${classes.length} processors: ${classes.join(', ') || 'none'}.`,
    );
}

const COMPLETED_KEPT = 100;
const FAILED_KEPT = 1_000;

/**
 * How a job is added. Finished jobs are kept only for inspection: the record of what is paid, unpaid or given up is Postgres.
 */
export function jobOptions(job: JobDefinition): JobsOptions {
  return {
    attempts: job.attempts,
    backoff: { type: 'exponential', delay: job.backoffMs, jitter: 0.5 },
    removeOnComplete: COMPLETED_KEPT,
    removeOnFail: FAILED_KEPT,
  };
}
