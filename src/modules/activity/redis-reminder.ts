import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Dispenser } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { RepeatingTask } from '../../platform/schedule';
import { Journal } from '../grab';
import { ActivityClosing } from './activity-closing';
import { ActivityLoader } from './activity-loader';
import { ActivityRepository } from './activity.repository';

/** After so long it is looked again whether this is still the same Redis, and whether somebody else was faster. */
const STEP_MS = 1_000;

/** Winners ask again for a while after the close; Redis loses seconds or minutes, not hours. */
const REMINDED_MINUTES = 6 * 60;
const REMINDED_MAX = 100_000;

/**
 * Tells a Redis that has restarted all claims, and then vouches for it: it may have lost its last moments.
 *
 * 1. Every activity is told, the running ones first. One that fails is told again later, and keeps no other waiting.
 * 2. The journal is decided: a winner who was forgotten may have drawn another packet meanwhile. Those who were told in
 *    step 1 cannot draw any more, so that afterwards whatever a user holds in Redis is his.
 * 3. Redis is believed from now on.
 */
@Injectable()
export class RedisReminder implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task: RepeatingTask;
  private readonly logger = new Logger('RedisReminder');
  private serverId?: string;
  /** Ids of activities, the next one last. */
  private untold: string[] = [];

  constructor(
    private readonly activities: ActivityRepository,
    private readonly loader: ActivityLoader,
    private readonly closing: ActivityClosing,
    private readonly journal: Journal,
    private readonly dispenser: Dispenser,
    config: AppConfig,
  ) {
    this.task = new RepeatingTask('RedisReminder', config.SWEEP_INTERVAL_MS, () => this.step());
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  /** Tells for about a second, and vouches when all is told; does nothing while Redis is believed. */
  async step(): Promise<void> {
    if (await this.dispenser.isTrusted()) return this.forget();
    const serverId = await this.dispenser.serverId();
    if (serverId !== this.serverId) await this.begin(serverId);
    await this.tellSome();
    if (this.untold.length > 0) return;
    await this.journal.decideAll();
    await this.dispenser.trust(serverId);
    this.forget();
    this.logger.log('Redis has been told all claims.');
  }

  private async begin(serverId: string): Promise<void> {
    const running = await this.activities.allActive();
    const ended = await this.activities.ended(REMINDED_MINUTES, REMINDED_MAX);
    this.untold = [...running, ...ended].reverse();
    this.serverId = serverId;
  }

  /** The next time everything is told anew, also to the same server. */
  private forget(): void {
    this.serverId = undefined;
  }

  private async tellSome(): Promise<void> {
    const failed: string[] = [];
    const until = performance.now() + STEP_MS;
    while (this.untold.length > 0 && performance.now() < until) {
      const id = this.untold.pop()!;
      await this.tell(id).catch((error: unknown) => {
        this.logger.error(`Activity ${id}: ${String(error)}`);
        failed.push(id);
      });
    }
    this.untold.unshift(...failed);
  }

  private async tell(id: string): Promise<void> {
    const activity = await this.activities.find(id);
    if (activity?.status === 'active') await this.remind(id);
    else if (activity) await this.closing.tidyUp(activity);
  }

  /** Packets that were added may be forgotten as well. */
  private async remind(id: string): Promise<void> {
    await this.loader.remind(id);
    await this.loader.extend(id);
  }
}
