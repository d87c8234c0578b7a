import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Dispenser } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { RepeatingTask } from '../../platform/schedule';
import { ActivityClosing } from './activity-closing';
import { ActivityLoader } from './activity-loader';
import { ActivityRepository } from './activity.repository';

/** Activities looked at in one sweep; the next sweep goes on behind them, and begins again at the end. */
const LOOKED_AT_MAX = 1_000;
const CLOSED_MAX = 100;

/** Loads again what Redis has lost or a crash left half loaded, and closes what is over. */
@Injectable()
export class ActivitySweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ActivitySweep');
  private readonly loading: RepeatingTask;
  private readonly ending: RepeatingTask;
  private lookedAt = '0';

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly activities: ActivityRepository,
    private readonly loader: ActivityLoader,
    private readonly closing: ActivityClosing,
    private readonly dispenser: Dispenser,
    config: AppConfig,
  ) {
    this.loading = new RepeatingTask('LoadMissing', config.SWEEP_INTERVAL_MS, () => this.loadMissing());
    this.ending = new RepeatingTask('CloseDue', config.SWEEP_INTERVAL_MS, () => this.closeDue());
  }

  onApplicationBootstrap(): void {
    this.loading.start();
    this.ending.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.loading.stop(), this.ending.stop()]);
  }

  private async loadMissing(): Promise<void> {
    const ids = await this.activities.active(this.lookedAt, LOOKED_AT_MAX);
    this.lookedAt = ids.length < LOOKED_AT_MAX ? '0' : ids.at(-1)!;
    const standing = await this.dispenser.standing(ids);
    for (const [i, id] of ids.entries()) {
      const { status } = standing[i]!;
      if (status === undefined || status === 'loading') await this.attempt(id, () => this.loader.load(id));
    }
  }

  private async closeDue(): Promise<void> {
    const now = new Date(await this.dispenser.nowMs());
    for (const id of await this.activities.due(now, CLOSED_MAX)) await this.attempt(id, () => this.close(id));
  }

  private async close(id: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const activity = await this.activities.find(id, tx);
      if (activity) await this.closing.close(tx, activity, 'after-closing');
    });
    await this.closing.tidyUp(id);
  }

  /** One activity that makes trouble must not keep the others waiting. */
  private async attempt(id: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.logger.error(`Activity ${id}: ${String(error)}`));
  }
}
