import { Injectable, Logger } from '@nestjs/common';
import { failpoint } from '../../../libs/failpoint';
import { traced } from '../../../libs/tracing';
import { isDataFault, isHeldUp } from '../../platform/postgres';
import { ENDINGS, Metrics, timed } from '../../platform/telemetry';
import { aboutClaims } from './settlement-job';
import { SettlementRepository } from './settlement.repository';

/** The result of one batch. Claims that another process had already settled are not in it. */
export interface SettlementResult {
  readonly paid: number;
  /** The number of claims that became dead letters. */
  readonly buried: number;
  /** Claims that failed and will be tried again. */
  readonly retry: readonly string[];
  /** The activities of the paid and buried claims. */
  readonly activities: readonly string[];
}

/** The sums of {@link SettlementService.settle}. */
interface Total {
  paid: number;
  buried: number;
  readonly retry: string[];
  readonly activities: string[];
}

/** The most parts of a batch that are found locked before the rest is left for later. */
const HELD_UP_MAX = 24;

/** Parts wait only briefly, because the whole batch has already waited for the same locks. */
const LOCK_TIMEOUT_OF_PARTS_MS = 100;

/**
 * Settles batches of claims: pays the good claims and finds the bad ones.
 *
 * A batch is one statement, so one bad claim fails it as a whole. When the failure is about the data, the
 * batch is halved until the bad claim is alone. When it is about another transaction's lock, the batch is
 * halved until the locked claims are alone; these are left for later. Any other failure (the database is
 * down, a deadlock, a schema of another version) is thrown, and the whole batch is tried again. Only a claim
 * that failed alone because of its data is counted. So neither an outage nor a lock ever makes dead letters,
 * and neither a bad nor a locked claim holds up its neighbours.
 */
@Injectable()
export class SettlementService {
  private readonly logger = new Logger('Settlement');

  private readonly settled;
  private readonly times;

  constructor(
    private readonly settlements: SettlementRepository,
    metrics: Metrics,
  ) {
    this.settled = metrics.counters({
      name: 'hongbao_claims_settled_total',
      help: 'Claims by what settlement did with them: paid, buried as dead letters, or to be tried again',
      label: 'result',
      values: ['paid', 'buried', 'retry'],
    });
    this.times = metrics.timings({
      name: 'hongbao_settlement_duration_seconds',
      help: 'How long the settlement of one batch of claims took; one that fails is tried again',
      label: 'result',
      values: ENDINGS,
    });
  }

  /** @throws every error that is not about the data or a lock, such as an outage */
  async settle(claimIds: readonly string[]): Promise<SettlementResult> {
    const result = await traced(
      'payment',
      () => timed(this.times, () => this.settleOrHalve(claimIds)),
      () => ({ attributes: aboutClaims(claimIds) }),
    );
    this.settled.paid.inc(result.paid);
    this.settled.buried.inc(result.buried);
    this.settled.retry.inc(result.retry.length);
    return result;
  }

  private async settleOrHalve(claimIds: readonly string[]): Promise<SettlementResult> {
    const total: Total = { paid: 0, buried: 0, retry: [], activities: [] };
    const parts: Part[] = [{ claimIds }];
    let heldUp = 0;
    for (const part of parts) {
      try {
        add(total, await this.pay(part));
      } catch (error) {
        if (!isDataFault(error) && !isHeldUp(error)) throw error;
        if (isHeldUp(error)) heldUp += 1;
        if (part.claimIds.length > 1 && heldUp < HELD_UP_MAX) {
          // Claims of activities that run at the same time alternate. Left in that order, every
          // half would contain a claim of the locked escrow.
          const claimIds = heldUp === 1 ? await this.settlements.byActivity(part.claimIds) : part.claimIds;
          parts.push(...halvesOf({ ...part, claimIds }, error));
        } else add(total, await this.giveUp(part.claimIds, error));
      }
    }
    return total;
  }

  private async pay({ claimIds, lockTimeoutMs }: Part): Promise<SettlementResult> {
    await failpoint('settle.before-commit');
    const { paid, buried, activities } = await this.settlements.credit(claimIds, lockTimeoutMs);
    await failpoint('settle.after-commit');
    return { paid, buried, activities, retry: [] };
  }

  private async giveUp(claimIds: readonly string[], error: unknown): Promise<SettlementResult> {
    if (isDataFault(error) && claimIds.length === 1) return this.failed(claimIds[0]!, error);
    this.logger.warn(
      `${claimIds.length} claims are held up by the lock of another session: ${String(error)}`,
    );
    return { paid: 0, buried: 0, retry: claimIds, activities: [] };
  }

  private async failed(claimId: string, error: unknown): Promise<SettlementResult> {
    const buriedIn = await this.settlements.recordFailure(claimId, error);
    this.logger.error(`Claim ${claimId} ${buriedIn ? 'was buried' : 'failed'}: ${String(error)}`);
    if (buriedIn === undefined) return { paid: 0, buried: 0, retry: [claimId], activities: [] };
    return { paid: 0, buried: 1, retry: [], activities: [buriedIn] };
  }
}

interface Part {
  readonly claimIds: readonly string[];
  /** The connection's own setting applies when it is undefined. */
  readonly lockTimeoutMs?: number;
}

function halvesOf({ claimIds, lockTimeoutMs }: Part, error: unknown): Part[] {
  const middle = claimIds.length >> 1;
  const patience = isHeldUp(error) ? LOCK_TIMEOUT_OF_PARTS_MS : lockTimeoutMs;
  return [claimIds.slice(0, middle), claimIds.slice(middle)].map((half) => ({
    claimIds: half,
    lockTimeoutMs: patience,
  }));
}

function add(total: Total, { paid, buried, retry, activities }: SettlementResult): void {
  total.paid += paid;
  total.buried += buried;
  total.retry.push(...retry);
  total.activities.push(...activities);
}
