import { Processor } from '@nestjs/bullmq';
import type { JobsOptions, WorkerOptions } from 'bullmq';

/** A queue has one kind of job, so that no kind can starve another. */
export interface JobDefinition {
  readonly queue: string;
  readonly name: string;
  /** All runs, including the first. */
  readonly attempts: number;
  /** Milliseconds before the second run; doubles each time, half of it random. */
  readonly backoffMs: number;
}

const catalog = new Map<string, JobDefinition>();
const processors = new Map<string, string[]>();

export function defineJob(job: JobDefinition): JobDefinition {
  if (catalog.has(job.queue)) throw new Error(`Queue ${job.queue} is defined twice.`);
  catalog.set(job.queue, job);
  return job;
}

/**
 * A killed worker holds its jobs until their locks run out, by default for about a minute. Stalling is not a
 * failure, because every job here may run any number of times.
 */
export const WORKER: Partial<WorkerOptions> = {
  lockDuration: 5_000,
  stalledInterval: 2_000,
  maxStalledCount: 1_000,
  runRetryDelay: 1_000,
};

export function Processes(job: JobDefinition): ClassDecorator {
  return (target) => {
    processors.set(job.queue, [...(processors.get(job.queue) ?? []), target.name]);
    Processor(job.queue, WORKER)(target);
  };
}

/** Returns jobs that do not have exactly one processor. A program with such a job must not start. */
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

/** Finished jobs are kept only for inspection: Postgres records what is paid, unpaid or given up. */
export function jobOptions(job: JobDefinition): JobsOptions {
  return {
    attempts: job.attempts,
    backoff: { type: 'exponential', delay: job.backoffMs, jitter: 0.5 },
    removeOnComplete: COMPLETED_KEPT,
    removeOnFail: FAILED_KEPT,
  };
}
