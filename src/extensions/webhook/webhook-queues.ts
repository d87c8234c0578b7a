import { Injectable } from '@nestjs/common';
import type { Job, JobsOptions, Queue, Worker } from 'bullmq';
import { within } from '../../../libs/deadline';
import { AppConfig } from '../../platform/config';
import { jobOptions, RunTimeQueues } from '../../platform/queue';
import { RedisMemory } from '../../core/dispenser';
import type { WaitingMessage } from './undelivered.repository';
import type { Try, WebhookMessage } from './webhook';
import type { DeliveryDto } from './webhook.dto';

/** `rowId` is set when the message waits in Postgres too. */
export interface DeliveryPayload {
  readonly message: WebhookMessage;
  readonly rowId?: string;
  /** The attempts so far, in all rounds. */
  readonly tries?: readonly Try[];
}

/** The job of a message ends as well when there are no further attempts. */
export const GIVEN_UP = 'given up';

/** The result of a job: the attempt that delivered the message, or that delivery was given up. */
export type DeliveryResult = Try | typeof GIVEN_UP;

export interface FoundDelivery extends DeliveryDto {
  readonly body: string;
  readonly tries: readonly Try[];
}

type FoundJob = readonly [DeliveryDto['state'], Job<DeliveryPayload>];

/** How often a job is retried at most when Postgres cannot take its dead letter. */
const BURIALS_MAX = 5;

/** Seconds, in which a message that is pushed again after its worker died finds its first job. */
const DELIVERED_KEPT = { age: 60, count: 5_000 };

/** For people who want to know what happened to a message. */
const FAILED_KEPT_MS = 86_400_000;

/** Messages wait in Postgres beyond this share of Redis' memory. */
const MEMORY_SHARE_MAX = 0.8;

/** Names of BullMQ, and of the API. */
const STATES = {
  waiting: 'waiting',
  active: 'sending',
  delayed: 'retrying',
  completed: 'delivered',
} as const;
const RECENT_MAX = 50;

const ANSWER_TIMEOUT_MS = 2_000;

/**
 * Each webhook has its own queue and deliveries: a webhook that hangs does not delay the others, and its
 * messages can be discarded separately (decision 20).
 */
@Injectable()
export class WebhookQueues {
  private readonly queues = new Map<string, Queue<DeliveryPayload>>();
  private readonly workers = new Map<string, Worker<DeliveryPayload>>();
  private readonly jobs: JobsOptions;

  constructor(
    private readonly runTimeQueues: RunTimeQueues,
    private readonly redisMemory: RedisMemory,
    private readonly config: AppConfig,
  ) {
    const attempts = config.WEBHOOK_ATTEMPTS_MAX + BURIALS_MAX;
    const job = { queue: 'webhook', name: 'deliver', attempts, backoffMs: config.WEBHOOK_BACKOFF_MS };
    this.jobs = { ...jobOptions(job), removeOnComplete: DELIVERED_KEPT, stackTraceLimit: 0 };
  }

  /** Counts the messages that may still wait. The bound keeps the memory of Redis for grabs. */
  async room(webhookId: string): Promise<number> {
    const { memoryShare } = this.redisMemory.at(this.runTimeQueues.keyOf(nameOf(webhookId)));
    if (memoryShare >= MEMORY_SHARE_MAX) return 0;
    return Math.max(0, this.config.WEBHOOK_BACKLOG_MAX - (await this.waiting(webhookId)));
  }

  /** Messages wait here for any attempt, the first or the next. */
  waiting(webhookId: string): Promise<number> {
    return within(ANSWER_TIMEOUT_MS, this.queueOf(webhookId).count());
  }

  /** The queue board shows BullMQ's queues. */
  queuesOf(webhookIds: readonly string[]): Queue[] {
    return webhookIds.map((id) => this.queueOf(id));
  }

  /** Returns the newest of each state. Delivered ones are kept for a minute. */
  async recent(webhookId: string): Promise<DeliveryDto[]> {
    const jobs = await this.recentJobs(webhookId);
    return jobs.map(([state, job]) => toDelivery(state, job));
  }

  /**
   * The message with its attempts, if it is in the queue, or was delivered within a minute.
   * @param attempts of the rounds that it has behind it, if it waited in Postgres for this one
   */
  async find(
    webhookId: string,
    messageId: string,
    attempts: number | undefined,
  ): Promise<FoundDelivery | undefined> {
    const jobId = attempts === undefined ? messageId : roundOf(messageId, attempts);
    const [state, job] =
      (await within(ANSWER_TIMEOUT_MS, this.jobWith(webhookId, jobId))) ??
      (await this.recentJobs(webhookId)).find(([, { data }]) => data.message.id === messageId) ??
      [];
    if (!state || !job) return undefined;
    const last = state === 'delivered' ? (job.returnvalue as Try | undefined) : undefined;
    return {
      ...toDelivery(state, job),
      body: job.data.message.body,
      tries: [...(job.data.tries ?? []), ...(last ? [last] : [])],
    };
  }

  private async jobWith(webhookId: string, jobId: string): Promise<FoundJob | undefined> {
    const job = await this.queueOf(webhookId).getJob(jobId);
    const state = job && STATES[(await job.getState()) as keyof typeof STATES];
    return job && state && job.returnvalue !== GIVEN_UP ? [state, job] : undefined;
  }

  /** Newest first. */
  private async recentJobs(webhookId: string): Promise<FoundJob[]> {
    const queue = this.queueOf(webhookId);
    const states = Object.keys(STATES) as (keyof typeof STATES)[];
    const found = await within(
      ANSWER_TIMEOUT_MS,
      Promise.all(states.map((state) => queue.getJobs([state], 0, RECENT_MAX - 1))),
    );
    return states
      .flatMap((state, i) => found[i]!.map((job): FoundJob => [STATES[state], job]))
      .filter(([, { returnvalue }]) => returnvalue !== GIVEN_UP)
      .sort(([, a], [, b]) => momentOf(b) - momentOf(a));
  }

  /** Skips messages that are in the queue, or were delivered within a minute. */
  async offer(webhookId: string, messages: readonly WebhookMessage[]): Promise<void> {
    await this.add(
      webhookId,
      messages.map((message) => ({ jobId: message.id, data: { message } })),
    );
  }

  /** The job of the last round may still be kept, so each round has its own job id. */
  async offerAgain(webhookId: string, messages: readonly WaitingMessage[]): Promise<void> {
    await this.add(
      webhookId,
      messages.map(({ rowId, attempts, tries, id, event, body }) => ({
        jobId: roundOf(id, attempts),
        data: { message: { id, event, body }, rowId, tries },
      })),
    );
  }

  async serve(
    webhookIds: readonly string[],
    deliver: (webhookId: string, job: Job<DeliveryPayload>) => Promise<unknown>,
  ): Promise<void> {
    const others = new Map(this.workers);
    for (const id of webhookIds) {
      if (others.delete(id)) continue;
      const worker = this.runTimeQueues.openWorker<DeliveryPayload>(
        nameOf(id),
        this.config.WEBHOOK_CONCURRENCY,
        (job) => deliver(id, job),
      );
      this.workers.set(id, worker);
    }
    for (const [id, worker] of others) {
      this.workers.delete(id);
      await this.runTimeQueues.close(worker);
    }
  }

  /**
   * BullMQ removes old jobs only when another job of the queue ends, and they name users. Jobs fail when Postgres
   * could not even take their message as undelivered.
   */
  async forgetEnded(webhookId: string): Promise<void> {
    const queue = this.queueOf(webhookId);
    const { age, count } = DELIVERED_KEPT;
    await within(ANSWER_TIMEOUT_MS, queue.clean(age * 1_000, count, 'completed'));
    await within(ANSWER_TIMEOUT_MS, queue.clean(FAILED_KEPT_MS, count, 'failed'));
  }

  async discard(webhookId: string): Promise<void> {
    const queue = this.queueOf(webhookId);
    await queue.obliterate({ force: true });
    this.queues.delete(webhookId);
    await this.runTimeQueues.close(queue);
  }

  private async add(webhookId: string, jobs: { jobId: string; data: DeliveryPayload }[]): Promise<void> {
    if (jobs.length === 0) return;
    const named = jobs.map(({ jobId, data }) => ({ name: 'deliver', data, opts: { ...this.jobs, jobId } }));
    await within(ANSWER_TIMEOUT_MS, this.queueOf(webhookId).addBulk(named));
  }

  private queueOf(webhookId: string): Queue<DeliveryPayload> {
    let queue = this.queues.get(webhookId);
    if (!queue) {
      queue = this.runTimeQueues.openQueue<DeliveryPayload>(nameOf(webhookId));
      this.queues.set(webhookId, queue);
    }
    return queue;
  }
}

const momentOf = ({ finishedOn, timestamp }: Job): number => finishedOn ?? timestamp;

function toDelivery(state: DeliveryDto['state'], job: Job<DeliveryPayload>): DeliveryDto {
  const { data, attemptsMade, failedReason } = job;
  const { message } = data;
  return {
    messageId: message.id,
    event: message.event,
    state,
    attempts: attemptsMade,
    lastError: state === 'delivered' ? null : (failedReason ?? null),
    at: new Date(momentOf(job)).toISOString(),
  };
}

const roundOf = (messageId: string, attempts: number): string => `${messageId}.${attempts}`;

const nameOf = (webhookId: string): string => `webhook-${webhookId}`;
