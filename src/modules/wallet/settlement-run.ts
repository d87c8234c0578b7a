import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/telemetry';
import { type SettlementResult, SettlementService } from './settlement.service';

/** Settles a batch and counts what became of it, for the queue and for the sweep that does without it. */
@Injectable()
export class SettlementRun {
  private readonly settled;

  constructor(
    private readonly settlement: SettlementService,
    metrics: Metrics,
  ) {
    this.settled = metrics.counter({
      name: 'claims_settled_total',
      help: 'Claims by what settlement did with them: paid, buried as dead letters, or to be tried again',
      labelNames: ['result'],
    });
  }

  /** @throws whatever says nothing about the data, such as an outage */
  async settle(claimIds: readonly string[]): Promise<SettlementResult> {
    const result = await this.settlement.settle(claimIds);
    this.settled.inc({ result: 'paid' }, result.paid);
    this.settled.inc({ result: 'buried' }, result.buried);
    this.settled.inc({ result: 'retry' }, result.retry.length);
    return result;
  }
}
