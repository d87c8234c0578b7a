import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { failpoint } from '../../../libs/failpoint';
import { AppConfig } from '../../platform/config';
import { RepeatingTask } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { Journal } from './journal';

/** Finishes grabs whose process died, or lost Postgres, between the draw and the confirmation. */
@Injectable()
export class JournalSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('JournalSweep');
  private readonly task: RepeatingTask;
  private readonly swept;

  constructor(
    private readonly journal: Journal,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.swept = metrics.counter({
      name: 'reservations_swept_total',
      help: 'Reservations that were left behind and decided by the sweeper',
    });
    this.task = new RepeatingTask('JournalSweep', config.SWEEP_INTERVAL_MS, (stopping) =>
      this.sweep(stopping),
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  private async sweep(stopping: AbortSignal): Promise<void> {
    await failpoint('sweep.before-journal');
    const decided = await this.journal.sweep(this.config.SWEEP_AGE_MS, stopping);
    if (decided === 0) return;
    this.swept.inc(decided);
    this.logger.log(`${decided} reservations that were left behind are decided.`);
  }
}
