import { Injectable } from '@nestjs/common';
import { traced } from '../../../libs/tracing';
import { ENDINGS, Metrics, timed } from '../../platform/telemetry';
import { aboutClaims } from './settlement-job';
import { type SettlementResult, SettlementService } from './settlement.service';

/** Settles a batch and counts what became of it, for the queue and for the sweep that does without it. */
@Injectable()
export class SettlementRun {
  private readonly settled;
  private readonly times;

  constructor(
    private readonly settlement: SettlementService,
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

  /** @throws whatever says nothing about the data, such as an outage */
  async settle(claimIds: readonly string[]): Promise<SettlementResult> {
    const result = await traced(
      'payment',
      () => timed(this.times, () => this.settlement.settle(claimIds)),
      () => ({ attributes: aboutClaims(claimIds) }),
    );
    this.settled.paid.inc(result.paid);
    this.settled.buried.inc(result.buried);
    this.settled.retry.inc(result.retry.length);
    return result;
  }
}
