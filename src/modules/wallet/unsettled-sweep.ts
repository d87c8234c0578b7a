import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { AppConfig } from '../../platform/config';
import { RepeatingTask } from '../../platform/schedule';
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

  constructor(
    private readonly settlements: SettlementRepository,
    private readonly queue: SettlementQueue,
    private readonly config: AppConfig,
  ) {
    this.task = new RepeatingTask('UnsettledSweep', config.SWEEP_INTERVAL_MS, () => this.sweep());
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  private async sweep(): Promise<void> {
    const overdue = await this.settlements.unsettledFor(this.config.SWEEP_AGE_MS, CLAIMS_PER_SWEEP_MAX);
    if (overdue.length > 0) await this.queue.offerAgain(overdue);
  }
}
