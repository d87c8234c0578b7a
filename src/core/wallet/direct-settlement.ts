import { Injectable, Logger } from '@nestjs/common';
import { isOutage } from '../../platform/postgres';
import { Metrics } from '../../platform/telemetry';
import { CLAIMS_PER_JOB_MAX } from './settlement-job';
import { SettlementNews } from './settlement-news';
import { SettlementRepository } from './settlement.repository';
import { type SettlementResult, SettlementService } from './settlement.service';

/** Limits one call, so that the reason for it is checked again from time to time. */
const BATCHES_MAX = 20;

/** Settles without the queue, which makes payments fast but is not needed, nor is Redis. */
@Injectable()
export class DirectSettlement {
  private readonly logger = new Logger('DirectSettlement');
  private readonly settled;

  constructor(
    private readonly settlements: SettlementRepository,
    private readonly settlement: SettlementService,
    private readonly news: SettlementNews,
    metrics: Metrics,
  ) {
    this.settled = metrics.counter({
      name: 'hongbao_claims_settled_without_queue_total',
      help: 'Claims that the sweep settled itself, because the queue refused them or its jobs were not run',
    });
  }

  /**
   * Settles unpaid claims in the order of their ids. Batches of several workers may overlap: the
   * second worker waits for the rows and then finds nothing to do.
   *
   * @throws when Postgres is down
   */
  async settleUpTo(lastClaimId: string, stopping: AbortSignal): Promise<void> {
    let after = '0';
    for (let batch = 0; batch < BATCHES_MAX && !stopping.aborted; batch++) {
      const claimIds = await this.settlements.idleUnsettled(after, lastClaimId, CLAIMS_PER_JOB_MAX);
      if (claimIds.length === 0) return;
      after = claimIds.at(-1)!;
      const result = await this.settle(claimIds);
      if (result !== undefined && result.paid + result.buried > 0) await this.tell(claimIds, result);
    }
  }

  /** A batch whose failure is its own must not delay the batches after it. */
  private async settle(claimIds: readonly string[]): Promise<SettlementResult | undefined> {
    try {
      const result = await this.settlement.settle(claimIds);
      this.settled.inc(result.paid + result.buried);
      return result;
    } catch (error) {
      if (isOutage(error)) throw error;
      this.logger.error(`${claimIds.length} claims are left to the next sweep: ${String(error)}`);
      return undefined;
    }
  }

  private async tell(claimIds: readonly string[], result: SettlementResult): Promise<void> {
    await this.news
      .tellOrKeep(claimIds, result)
      .catch((error: unknown) => this.logger.warn(`Winners are not notified now: ${String(error)}`));
  }
}
