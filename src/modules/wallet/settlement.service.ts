import { Injectable, Logger } from '@nestjs/common';
import { failpoint } from '../../../libs/failpoint';
import { isDataFault } from '../../platform/postgres';
import { SettlementRepository } from './settlement.repository';

/** What became of the claims of one batch. Claims that somebody else had settled already are in none of these. */
export interface SettlementResult {
  readonly paid: number;
  /** Became dead letters. */
  readonly buried: number;
  /** Failed and will be tried again. */
  readonly retry: readonly string[];
}

/**
 * Settles batches of claims: pays what can be paid and finds what cannot.
 *
 * A batch is one statement, so one bad claim fails it as a whole. When the failure speaks of the data, the batch is halved
 * until the bad claim stands alone. Any other (the database is away, a deadlock, a schema of another version) is thrown,
 * and the whole batch comes again. Only a claim that failed alone is counted, so an outage never makes dead letters, and a
 * bad claim never holds up its neighbours.
 */
@Injectable()
export class SettlementService {
  private readonly logger = new Logger('Settlement');

  constructor(private readonly settlements: SettlementRepository) {}

  /** @throws whatever says nothing about the data, such as an outage */
  async settle(claimIds: readonly string[]): Promise<SettlementResult> {
    try {
      await failpoint('settle.before-commit');
      const credited = await this.settlements.credit(claimIds);
      await failpoint('settle.after-commit');
      return { ...credited, retry: [] };
    } catch (error) {
      if (!isDataFault(error)) throw error;
      return claimIds.length > 1 ? this.settleHalves(claimIds) : this.failed(claimIds[0]!, error);
    }
  }

  private async settleHalves(claimIds: readonly string[]): Promise<SettlementResult> {
    const middle = claimIds.length >> 1;
    const first = await this.settle(claimIds.slice(0, middle));
    const second = await this.settle(claimIds.slice(middle));
    return {
      paid: first.paid + second.paid,
      buried: first.buried + second.buried,
      retry: [...first.retry, ...second.retry],
    };
  }

  private async failed(claimId: string, error: unknown): Promise<SettlementResult> {
    const buried = await this.settlements.recordFailure(claimId, error);
    this.logger.error(`Claim ${claimId} ${buried ? 'was buried' : 'failed'}: ${String(error)}`);
    return buried ? { paid: 0, buried: 1, retry: [] } : { paid: 0, buried: 0, retry: [claimId] };
  }
}
