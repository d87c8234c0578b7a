import { Injectable, Logger } from '@nestjs/common';
import { failpoint } from '../../../../libs/failpoint';
import { AppConfig } from '../../../platform/config';
import { Repeats } from '../../../platform/schedule';
import { Metrics } from '../../../platform/telemetry';
import { Journal } from './journal';

/** Finishes grabs whose process died, or lost Postgres, between the draw and the confirmation. */
@Injectable()
export class JournalSweep {
  private readonly logger = new Logger('JournalSweep');
  private readonly swept;

  constructor(
    private readonly journal: Journal,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.swept = metrics.counter({
      name: 'hongbao_reservations_swept_total',
      help: 'Reservations that were left behind and decided by the sweeper',
    });
  }

  @Repeats('JournalSweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping: AbortSignal): Promise<void> {
    await failpoint('sweep.before-journal');
    const decided = await this.journal.sweep(this.config.SWEEP_AGE_MS, stopping);
    if (decided === 0) return;
    this.swept.inc(decided);
    this.logger.log(`${decided} reservations that were left behind are decided.`);
  }
}
