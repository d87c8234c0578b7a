import { WorkerHost } from '@nestjs/bullmq';
import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Job } from 'bullmq';
import { AppConfig } from '../../platform/config';
import { Processes } from '../../platform/queue';
import { creditJob, type CreditPayload } from './settlement-job';
import { SettlementService } from './settlement.service';

/** Makes BullMQ run the job again after its backoff. */
class ClaimsUnsettled extends Error {}

@Processes(creditJob)
export class SettlementProcessor extends WorkerHost implements OnApplicationBootstrap {
  private readonly logger = new Logger('SettlementProcessor');

  constructor(
    private readonly settlement: SettlementService,
    private readonly config: AppConfig,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.config.SETTLEMENT_CONCURRENCY;
    this.worker.on('error', (error) => this.logger.warn(error.message));
  }

  async process(job: Job<CreditPayload>): Promise<{ paid: number; buried: number }> {
    const { paid, buried, retry } = await this.settlement.settle(job.data.claimIds);
    if (retry.length > 0)
      throw new ClaimsUnsettled(`${retry.length} of ${job.data.claimIds.length} claims failed`);
    return { paid, buried };
  }
}
