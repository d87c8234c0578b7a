import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { type CloseWhen, Dispenser, type DispenserStatus } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { RepeatingTask } from '../../platform/schedule';
import { ActivityClosing } from './activity-closing';
import { ActivityLoader } from './activity-loader';
import { ActivityRepository } from './activity.repository';

/** Activities looked at in one sweep; the next sweep goes on behind them, and begins again at the end. */
const LOOKED_AT_MAX = 1_000;
const CLOSED_MAX = 100;

/** Sets right what Redis has lost or a crash left half done, and closes what is over. */
@Injectable()
export class ActivitySweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ActivitySweep');
  private readonly mending: RepeatingTask;
  private readonly closingDue: RepeatingTask;
  private lookedAt = '0';

  constructor(
    private readonly activities: ActivityRepository,
    private readonly loader: ActivityLoader,
    private readonly closing: ActivityClosing,
    private readonly dispenser: Dispenser,
    config: AppConfig,
  ) {
    this.mending = new RepeatingTask('MendActivities', config.SWEEP_INTERVAL_MS, () => this.mendAll());
    this.closingDue = new RepeatingTask('CloseDue', config.SWEEP_INTERVAL_MS, () => this.closeDue());
  }

  onApplicationBootstrap(): void {
    this.mending.start();
    this.closingDue.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.mending.stop(), this.closingDue.stop()]);
  }

  private async mendAll(): Promise<void> {
    const ids = await this.activities.active(this.lookedAt, LOOKED_AT_MAX);
    this.lookedAt = ids.length < LOOKED_AT_MAX ? '0' : ids.at(-1)!;
    const standing = await this.dispenser.standing(ids);
    for (const [i, id] of ids.entries()) await this.attempt(id, () => this.mend(id, standing[i]!.status));
  }

  /** What should be open in Redis and is not: it is missing, half loaded, or its closer did not get to the refund. */
  private async mend(id: string, status: DispenserStatus): Promise<void> {
    if (status === 'closed') await this.close(id, 'any-time');
    else if (status !== 'open') await this.loader.load(id);
  }

  private async closeDue(): Promise<void> {
    const now = new Date(await this.dispenser.nowMs());
    for (const id of await this.activities.due(now, CLOSED_MAX)) {
      await this.attempt(id, () => this.close(id, 'after-closing'));
    }
  }

  private async close(id: string, when: CloseWhen): Promise<void> {
    const activity = await this.activities.find(id);
    if (activity) await this.closing.close(activity, when);
  }

  /** One activity that makes trouble must not keep the others waiting. */
  private async attempt(id: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.logger.error(`Activity ${id}: ${String(error)}`));
  }
}
