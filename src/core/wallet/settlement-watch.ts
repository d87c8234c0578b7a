import { Injectable } from '@nestjs/common';
import { SeenAges } from '../../../libs/sightings';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { DEAD_LETTER_REASONS } from './dead-letter.entity';
import { SettlementQueue } from './settlement-queue';
import { SettlementRepository } from './settlement.repository';

const LOOK_EVERY_MS = 5_000;

const STATES = ['wait', 'active', 'delayed', 'failed'] as const;

/**
 * Measures the unpaid claims in Postgres and the jobs in the queue. Every worker measures the same.
 */
@Injectable()
export class SettlementWatch {
  private readonly ages = new SeenAges<'held'>();
  private readonly unsettled;
  private readonly dead;
  private readonly heldOldest;
  private readonly jobs;

  constructor(
    private readonly settlements: SettlementRepository,
    private readonly queue: SettlementQueue,
    metrics: Metrics,
  ) {
    this.unsettled = metrics.gauge({
      name: 'hongbao_unsettled_claims',
      help: 'Claims that are confirmed and neither paid nor given up',
    });
    this.dead = metrics.gauges({
      name: 'hongbao_dead_letters_open',
      help: 'Claims whose settlement gave up and that nobody has replayed, resolved or declared void, by the reason',
      label: 'reason',
      values: DEAD_LETTER_REASONS,
    });
    this.heldOldest = metrics.gauge({
      name: 'hongbao_held_oldest_seconds',
      help: 'Age of the oldest claim that is held; 0 when none is',
    });
    this.jobs = metrics.gauges({
      name: 'hongbao_settlement_queue_jobs',
      help: 'Settlement jobs in Redis by their state, each for many claims; failed ones are kept for information only',
      label: 'state',
      values: STATES,
    });
  }

  @Repeats('UnpaidWatch', LOOK_EVERY_MS, { logs: 'changes' })
  async lookAtClaims(): Promise<void> {
    const { unsettled, dead, heldOldest, heldOldestSeconds } = await this.settlements.unpaid();
    this.heldOldest.set(this.ages.secondsOf('held', heldOldest, heldOldestSeconds));
    this.unsettled.set(unsettled);
    for (const reason of DEAD_LETTER_REASONS) this.dead[reason].set(dead[reason]);
  }

  @Repeats('SettlementQueueWatch', LOOK_EVERY_MS, { logs: 'changes' })
  async lookAtQueue(): Promise<void> {
    const counts = await this.queue.counts(STATES);
    for (const state of STATES) this.jobs[state].set(counts[state] ?? 0);
  }
}
