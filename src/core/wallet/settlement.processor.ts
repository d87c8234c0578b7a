import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Job } from 'bullmq';
import { traced } from '../../../libs/tracing';
import { AppConfig } from '../../platform/config';
import { closeInTime, Processes, restIfRefused } from '../../platform/queue';
import { creditJob, type CreditPayload } from './settlement-job';
import { SettlementNews } from './settlement-news';
import { SettlementService } from './settlement.service';

/** BullMQ retries a job that throws this, after its backoff. */
class ClaimsUnsettled extends Error {}

@Processes(creditJob)
export class SettlementProcessor extends WorkerHost implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('SettlementProcessor');

  constructor(
    private readonly settlement: SettlementService,
    private readonly news: SettlementNews,
    private readonly config: AppConfig,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.config.SETTLEMENT_CONCURRENCY;
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.warn(error.message);
    restIfRefused(this.worker, error);
  }

  @OnWorkerEvent('failed')
  onFailed(_job: Job | undefined, error: Error): void {
    this.logger.warn(`A job failed and will run again: ${error.message}`);
  }

  async onApplicationShutdown(): Promise<void> {
    await closeInTime(this.worker);
  }

  process(job: Job<CreditPayload>): Promise<{ paid: number; buried: number }> {
    return traced(
      'job',
      () => this.work(job),
      () => ({ parent: job.data.traceparent, attributes: { 'hongbao.attempt': job.attemptsMade + 1 } }),
    );
  }

  private async work(job: Job<CreditPayload>): Promise<{ paid: number; buried: number }> {
    const result = await this.settlement.settle(job.data.claimIds);
    await this.news.tell(job.data.claimIds, result);
    const { paid, buried, retry } = result;
    if (retry.length > 0)
      throw new ClaimsUnsettled(`${retry.length} of ${job.data.claimIds.length} claims failed`);
    return { paid, buried };
  }
}
