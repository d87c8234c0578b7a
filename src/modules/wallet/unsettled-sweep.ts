import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { failpoint } from '../../../libs/failpoint';
import { AppConfig } from '../../platform/config';
import { Readiness } from '../../platform/http';
import { RepeatingTask } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { SettlementQueue } from './settlement-queue';
import { SettlementRepository } from './settlement.repository';

const CLAIMS_PER_SWEEP_MAX = 50_000;

/** Longer than any crash or outage of one part should hold up a payment. */
const STANDSTILL_SECONDS = 60;

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
    private readonly readiness: Readiness,
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
    await this.watch();
    const overdue = await this.settlements.unsettledFor(this.config.SWEEP_AGE_MS, CLAIMS_PER_SWEEP_MAX);
    if (overdue.length === 0) return;
    await failpoint('sweep.before-offer');
    await this.queue.offerAgain(overdue);
    this.swept.inc(overdue.length);
  }

  private async watch(): Promise<void> {
    const seconds = await this.settlements.oldestUnsettledSeconds();
    this.oldest.set(seconds);
    const fault =
      seconds > STANDSTILL_SECONDS ? `has left a claim unpaid for ${Math.round(seconds)} s` : undefined;
    this.readiness.report('settlement', fault);
  }
}
