import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Batcher } from '../../../../libs/batching';
import { within } from '../../../../libs/deadline';
import { Metrics } from '../../../platform/telemetry';

/** Milliseconds that a user waits for the load. A small activity is loaded by then. */
const WAIT_MS = 500;

/** Milliseconds of rest after a load, failed or not: this prevents endless loads. */
const REST_MS = 1_000;

/**
 * Activities that are loaded or wait for it. Beyond this number the answer is "loading", and the user asks
 * again.
 */
const UNDER_WAY_MAX = 1_000;

/**
 * Activities that Redis lacks and a user asks for. The process that receives the request loads them
 * at once, in the order of the requests; the sweeper has no order of urgency.
 *
 * An activity is loaded once, however many ask for it. Few are loaded at a time, because each load holds a
 * connection. The module that can load activities registers here.
 */
@Injectable()
export class MissingActivities implements BeforeApplicationShutdown {
  private readonly logger = new Logger('MissingActivities');
  private readonly underWay = new Map<string, Promise<boolean>>();
  private readonly resting = new Set<string>();
  private readonly loaded;
  private loads?: Batcher<string, boolean>;
  private stopping = false;

  constructor(metrics: Metrics) {
    this.loaded = metrics.counters({
      name: 'hongbao_activities_loaded_on_demand_total',
      help: 'Loads of activities that were asked for and that Redis lacked, by their result',
      label: 'result',
      values: ['loaded', 'failed'],
    });
  }

  /** @param load resolves when this process or another one has left nothing more to load */
  loadBy(load: (activityId: string) => Promise<void>, atOnceMax: number): void {
    this.loads = new Batcher<string, boolean>({
      run: async ([activityId]) => [await this.attempt(activityId!, load)],
      sizeMax: 1,
      concurrencyMax: atOnceMax,
    });
  }

  /** Has an activity loaded. Returns true if it is there within a moment: ask Redis again. */
  loadSoon(activityId: string): Promise<boolean> {
    this.begin(activityId);
    return this.arrives(activityId);
  }

  /** Waits a moment for an activity that was asked for before; false at once for any other. */
  async arrives(activityId: string): Promise<boolean> {
    const load = this.underWay.get(activityId);
    return load !== undefined && within(WAIT_MS, load).catch(() => false);
  }

  /** Finishes loads that have begun; the others are left to other processes. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.loads?.drain();
  }

  private begin(activityId: string): void {
    if (!this.loads || this.resting.has(activityId) || this.underWay.has(activityId)) return;
    if (this.underWay.size >= UNDER_WAY_MAX) return;
    const load = this.loads.submit(activityId).finally(() => this.rest(activityId));
    this.underWay.set(activityId, load);
  }

  private rest(activityId: string): void {
    this.underWay.delete(activityId);
    this.resting.add(activityId);
    setTimeout(() => this.resting.delete(activityId), REST_MS).unref();
  }

  private async attempt(activityId: string, load: (activityId: string) => Promise<void>): Promise<boolean> {
    if (this.stopping) return false;
    try {
      await load(activityId);
      this.loaded.loaded.inc();
      return true;
    } catch (error) {
      this.loaded.failed.inc();
      this.logger.warn(`Activity ${activityId} could not be loaded on demand: ${String(error)}`);
      return false;
    }
  }
}
