import { InjectQueue } from '@nestjs/bullmq';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { JobsOptions, Queue } from 'bullmq';
import { Batcher } from '../../../libs/batching';
import { within } from '../../../libs/deadline';
import { failpoint } from '../../../libs/failpoint';
import { traced, traceparent } from '../../../libs/tracing';
import { closeInTime, jobOptions } from '../../platform/queue';
import { aboutClaims, CLAIMS_PER_JOB_MAX, creditJob, type CreditPayload } from './settlement-job';

/**
 * Confirmed claims gather for this long before they leave as one job. This bounds the jobs per
 * second, and adds as much latency.
 */
const GATHER_MS = 25;
const JOBS_IN_FLIGHT_MAX = 4;
const ADD_TIMEOUT_MS = 2_000;
const ANSWER_TIMEOUT_MS = 2_000;

type JobState = 'wait' | 'active' | 'delayed' | 'failed';

/**
 * Puts claims into the queue. An offer is a hint that makes settlement fast. A failed offer loses
 * nothing: the claim stays in Postgres as unsettled, and the sweeper offers it again.
 */
@Injectable()
export class SettlementQueue implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('SettlementQueue');
  private readonly offers = new Batcher<string, void>({
    run: (claimIds) => this.addJob(claimIds),
    sizeMax: CLAIMS_PER_JOB_MAX,
    concurrencyMax: JOBS_IN_FLIGHT_MAX,
    lingerMs: GATHER_MS,
  });

  constructor(@InjectQueue(creditJob.queue) private readonly queue: Queue<CreditPayload>) {
    queue.on('error', (error) => this.logger.warn(error.message));
  }

  /** Offers claims that have just been confirmed. Returns at once. */
  offer(claimIds: readonly string[]): void {
    for (const claimId of claimIds) void this.offers.submit(claimId);
  }

  /**
   * Offers claims that should have been settled by now. Their jobs are named after ranges of claim
   * ids. A name that is still waiting or running is not added again, so any number of sweepers
   * queue the same claims once.
   */
  async offerAgain(claimIds: readonly string[]): Promise<void> {
    for (const [range, ids] of byRange(claimIds)) {
      const deduplication = { id: `sweep-${range}` };
      await this.add(ids, { ...jobOptions(creditJob), deduplication });
    }
  }

  /** Counts jobs by state. */
  counts(states: readonly JobState[]): Promise<Partial<Record<string, number>>> {
    return within(ANSWER_TIMEOUT_MS, this.queue.getJobCounts(...states));
  }

  /** Hands over the confirmed claims before the connections close. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.offers.drain();
  }

  async onApplicationShutdown(): Promise<void> {
    await closeInTime(this.queue);
  }

  /**
   * Adds a job, with a limit of time. A worker's connections wait for Redis without a limit and
   * would keep every job until then, so the caller must not wait for them.
   */
  private add(claimIds: string[], options: JobsOptions): Promise<void> {
    return traced(
      'offer',
      () => this.addNow(claimIds, options),
      () => ({ attributes: aboutClaims(claimIds) }),
    );
  }

  private async addNow(claimIds: string[], options: JobsOptions): Promise<void> {
    await failpoint('enqueue.before-add');
    const { status } = await within(ADD_TIMEOUT_MS, this.queue.backend.client);
    if (status !== 'ready') throw new Error('the queue is not connected');
    await within(
      ADD_TIMEOUT_MS,
      this.queue.add(creditJob.name, { claimIds, traceparent: traceparent() }, options),
    );
    await failpoint('enqueue.after-add');
  }

  private async addJob(claimIds: string[]): Promise<void[]> {
    try {
      await this.add(claimIds, jobOptions(creditJob));
    } catch (error) {
      this.logger.warn(`${claimIds.length} claims are left to the sweeper: ${String(error)}`);
    }
    return new Array<void>(claimIds.length);
  }
}

function byRange(claimIds: readonly string[]): Map<bigint, string[]> {
  const ranges = new Map<bigint, string[]>();
  for (const claimId of claimIds) {
    const range = BigInt(claimId) / BigInt(CLAIMS_PER_JOB_MAX);
    const ids = ranges.get(range);
    if (ids) ids.push(claimId);
    else ranges.set(range, [claimId]);
  }
  return ranges;
}
