import { WorkerHost } from '@nestjs/bullmq';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Job } from 'bullmq';
import { AppConfig } from '../../platform/config';
import { closeInTime, Processes } from '../../platform/queue';
import { Metrics } from '../../platform/telemetry';
import { creditJob, type CreditPayload } from './settlement-job';
import { SettlementNews } from './settlement-news';
import { SettlementService } from './settlement.service';

/** Makes BullMQ run the job again after its backoff. */
class ClaimsUnsettled extends Error {}

@Processes(creditJob)
export class SettlementProcessor extends WorkerHost implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('SettlementProcessor');
  private readonly settled;

  constructor(
    private readonly settlement: SettlementService,
    private readonly news: SettlementNews,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    super();
    this.settled = metrics.counter({
      name: 'claims_settled_total',
      help: 'Claims by what settlement did with them: paid, buried as dead letters, or to be tried again',
      labelNames: ['result'],
    });
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.config.SETTLEMENT_CONCURRENCY;
    this.worker.on('error', (error) => this.logger.warn(error.message));
    this.worker.on('failed', (_job, error) =>
      this.logger.warn(`A job failed and comes again: ${error.message}`),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await closeInTime(this.worker);
  }

  async process(job: Job<CreditPayload>): Promise<{ paid: number; buried: number }> {
    const { paid, buried, retry } = await this.settlement.settle(job.data.claimIds);
    this.settled.inc({ result: 'paid' }, paid);
    this.settled.inc({ result: 'buried' }, buried);
    this.settled.inc({ result: 'retry' }, retry.length);
    await this.news.tell(job.data.claimIds);
    if (retry.length > 0)
      throw new ClaimsUnsettled(`${retry.length} of ${job.data.claimIds.length} claims failed`);
    return { paid, buried };
  }
}
