import { Injectable, Logger } from '@nestjs/common';
import { failpoint } from '../../../libs/failpoint';
import { SeenAges, Sightings } from '../../../libs/sightings';
import { AppConfig } from '../../platform/config';
import { Faults } from '../../platform/http';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { DirectSettlement } from './direct-settlement';
import { SettlementQueue } from './settlement-queue';
import { type Backlog, SettlementRepository } from './settlement.repository';

const CLAIMS_PER_SWEEP_MAX = 50_000;

/** Claims that were seen unpaid this many ages ago were offered for long enough: the queue is not served. */
const STRANDED_AGES = 3;

/** A standstill is longer than one crash or outage should hold up a payment. */
const STANDSTILL_SECONDS = 60;

/**
 * Finishes what a crash left unpaid: a process died between its commit and the queue, a queue lost
 * its jobs, or a job used up its attempts while the database was down. The sweep offers these
 * claims again. It settles them itself when the queue refuses them or does not run its jobs.
 *
 * A claim is overdue when this process first saw it unpaid an age ago. A replayed claim has an old
 * id and is overdue at once, which is harmless: the transaction that deletes its row pays it, once.
 */
@Injectable()
export class UnsettledSweep {
  private readonly logger = new Logger('UnsettledSweep');
  private readonly overdue = new Sightings<string>();
  private readonly stranded = new Sightings<string>();
  private readonly ages = new SeenAges<'claims'>();
  private readonly swept;
  private readonly oldest;

  constructor(
    private readonly settlements: SettlementRepository,
    private readonly queue: SettlementQueue,
    private readonly direct: DirectSettlement,
    private readonly faults: Faults,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.swept = metrics.counter({
      name: 'hongbao_claims_swept_total',
      help: 'Overdue claims that were offered again',
    });
    this.oldest = metrics.gauge({
      name: 'hongbao_unsettled_oldest_seconds',
      help: 'Age of the oldest unpaid claim; rises when money stops moving',
    });
  }

  @Repeats('UnsettledSweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping: AbortSignal): Promise<void> {
    const backlog = await this.settlements.backlog();
    this.watch(backlog);
    if (!backlog) return;
    const ageMs = this.config.SWEEP_AGE_MS;
    const overdue = this.overdue.note(backlog.last, ageMs);
    const stranded = this.stranded.note(backlog.last, ageMs * STRANDED_AGES);
    try {
      if (overdue !== undefined) await this.offerUpTo(overdue, stopping);
    } finally {
      if (stranded !== undefined) await this.direct.settleUpTo(stranded, stopping);
    }
  }

  private async offerUpTo(last: string, stopping: AbortSignal): Promise<void> {
    const overdue = await this.settlements.unsettledUpTo(last, CLAIMS_PER_SWEEP_MAX);
    if (overdue.length === 0) return;
    await failpoint('sweep.before-offer');
    this.swept.inc(overdue.length);
    try {
      await this.queue.offerAgain(overdue);
    } catch (error) {
      this.logger.warn(`Claims are settled without the queue, which does not take them: ${String(error)}`);
      await this.direct.settleUpTo(last, stopping);
    }
  }

  private watch(backlog: Backlog | undefined): void {
    const seconds = this.ages.secondsOf('claims', backlog?.first, backlog?.firstWaitsSeconds ?? 0);
    this.oldest.set(seconds);
    const fault =
      seconds > STANDSTILL_SECONDS ? `has left a claim unpaid for ${Math.round(seconds)} s` : undefined;
    this.faults.report('settlement', fault);
  }
}
