import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Batcher } from '../../../libs/batching';
import { within } from '../../../libs/deadline';
import { Metrics } from '../../platform/telemetry';

/** A user who asks waits this long for the load instead of asking again. A small activity is there by then. */
const WAIT_MS = 500;

/** For this long after a load, failed or not, the same activity is not loaded again: nothing goes round in circles. */
const REST_MS = 1_000;

/** Activities that wait for their load or are loaded. A request for one more is answered "loading", to be repeated. */
const UNDER_WAY_MAX = 1_000;

/**
 * Activities that Redis lacks and somebody asks for. The process that is asked loads them at once, in the order in which
 * they were asked for. The sweeper comes to each of them as well, but in an order that nobody chose.
 *
 * However many ask for an activity, it is loaded once. Few are loaded at a time, because each load holds a connection of the
 * pool over which grabs are confirmed. Grabbing knows nothing of loading: the module that can load registers here.
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
      help: 'Loads of activities that Redis lacked and somebody asked for, by their result',
      label: 'result',
      values: ['loaded', 'failed'],
    });
  }

  /** @param load returns when there is nothing more to load, by this process or by another one */
  loadBy(load: (activityId: string) => Promise<void>, atOnceMax: number): void {
    this.loads = new Batcher<string, boolean>({
      run: async ([activityId]) => [await this.attempt(activityId!, load)],
      sizeMax: 1,
      concurrencyMax: atOnceMax,
    });
  }

  /**
   * Has an active activity loaded, and waits a moment for it. Returns whether it has arrived, so that Redis may be asked
   * again.
   */
  loadSoon(activityId: string): Promise<boolean> {
    this.begin(activityId);
    return this.arrives(activityId);
  }

  /** The same for an activity that somebody has asked for already; false at once for any other. */
  async arrives(activityId: string): Promise<boolean> {
    const load = this.underWay.get(activityId);
    return load !== undefined && within(WAIT_MS, load).catch(() => false);
  }

  /** What has not begun is left to others; what has is brought to its end. */
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
