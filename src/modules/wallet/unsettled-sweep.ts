import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { failpoint } from '../../../libs/failpoint';
import { AppConfig } from '../../platform/config';
import { RepeatingTask } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { SettlementQueue } from './settlement-queue';
import { SettlementRepository } from './settlement.repository';

const CLAIMS_PER_SWEEP_MAX = 50_000;

/**
 * Offers again what a crash left unpaid: a process that died between its commit and the queue, a queue that lost its
 * jobs, a job that used up its attempts while the database was away.
 */
@Injectable()
export class UnsettledSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task: RepeatingTask;
  private readonly swept;
  private readonly oldest;

  constructor(
    private readonly settlements: SettlementRepository,
    private readonly queue: SettlementQueue,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.swept = metrics.counter({
      name: 'claims_swept_total',
      help: 'Overdue claims that were offered again',
    });
    this.oldest = metrics.gauge({
      name: 'unsettled_oldest_seconds',
      help: 'Age of the oldest unpaid claim; rises when money stops moving',
    });
    this.task = new RepeatingTask('UnsettledSweep', config.SWEEP_INTERVAL_MS, () => this.sweep());
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  private async sweep(): Promise<void> {
    this.oldest.set(await this.settlements.oldestUnsettledSeconds());
    const overdue = await this.settlements.unsettledFor(this.config.SWEEP_AGE_MS, CLAIMS_PER_SWEEP_MAX);
    if (overdue.length === 0) return;
    await failpoint('sweep.before-offer');
    await this.queue.offerAgain(overdue);
    this.swept.inc(overdue.length);
  }
}
