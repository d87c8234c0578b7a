import { Injectable, Logger } from '@nestjs/common';
import { isOutage } from '../../platform/postgres';
import { Metrics } from '../../platform/telemetry';
import { CLAIMS_PER_JOB_MAX } from './settlement-job';
import { SettlementNews } from './settlement-news';
import { SettlementRun } from './settlement-run';
import { SettlementRepository } from './settlement.repository';

/** The most that one call settles, so that the reason for the call is checked again from time to time. */
const BATCHES_MAX = 20;

/** Settles without the queue. The queue makes payments fast, but money moves without it, and without Redis. */
@Injectable()
export class DirectSettlement {
  private readonly logger = new Logger('DirectSettlement');
  private readonly settled;

  constructor(
    private readonly settlements: SettlementRepository,
    private readonly run: SettlementRun,
    private readonly news: SettlementNews,
    metrics: Metrics,
  ) {
    this.settled = metrics.counter({
      name: 'hongbao_claims_settled_without_queue_total',
      help: 'Claims that the sweep settled itself, because the queue refused them or its jobs were not run',
    });
  }

  /**
   * Settles unpaid claims in the order of their ids. Batches of several workers may overlap: the second one waits for the
   * rows and finds nothing to do.
   *
   * @throws when Postgres is away
   */
  async settleUpTo(lastClaimId: string, stopping: AbortSignal): Promise<void> {
    let after = '0';
    for (let batch = 0; batch < BATCHES_MAX && !stopping.aborted; batch++) {
      const claimIds = await this.settlements.idleUnsettled(after, lastClaimId, CLAIMS_PER_JOB_MAX);
      if (claimIds.length === 0) return;
      after = claimIds.at(-1)!;
      if (await this.settle(claimIds)) await this.tell(claimIds);
    }
  }

  /** A batch that fails by itself must not keep those behind it waiting. */
  private async settle(claimIds: readonly string[]): Promise<boolean> {
    try {
      const { paid, buried } = await this.run.settle(claimIds);
      this.settled.inc(paid + buried);
      return paid > 0;
    } catch (error) {
      if (isOutage(error)) throw error;
      this.logger.error(`${claimIds.length} claims are left to the next sweep: ${String(error)}`);
      return false;
    }
  }

  private async tell(claimIds: readonly string[]): Promise<void> {
    await this.news
      .tell(claimIds)
      .catch((error: unknown) => this.logger.warn(`Winners are not notified: ${String(error)}`));
  }
}
