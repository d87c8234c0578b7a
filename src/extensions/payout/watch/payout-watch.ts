import { Injectable } from '@nestjs/common';
import { SeenAges } from '../../../../libs/sightings';
import { Repeats } from '../../../platform/schedule';
import { Metrics } from '../../../platform/telemetry';
import { hasEnded, PAYOUT_STATES } from '../book/payout-state';
import { WatchRepository } from './watch.repository';

const LOOK_EVERY_MS = 5_000;

const OPEN_STATES = PAYOUT_STATES.filter((state) => !hasEnded(state));

/** Measures payouts that have not ended, channel by channel. Every worker measures the same. */
@Injectable()
export class PayoutWatch {
  private readonly ages = new SeenAges<string>();
  private readonly open;
  private readonly oldest;
  private readonly circuit;
  private readonly unsent;
  private readonly overdue;
  private readonly findings;

  constructor(
    private readonly watch: WatchRepository,
    metrics: Metrics,
  ) {
    const labelNames = ['channel'] as const;
    this.open = metrics.gauge({
      name: 'hongbao_payouts_open',
      help: 'Payouts of a channel that have not ended, by their state; of a channel with more than 10000, the oldest 10000',
      labelNames: ['channel', 'state'],
    });
    this.oldest = metrics.gauge({
      name: 'hongbao_payouts_oldest_seconds',
      help: 'Time since the oldest of these payouts was last sent, or was asked for if it was never sent',
      labelNames: ['channel', 'state'],
    });
    this.circuit = metrics.gauge({
      name: 'hongbao_payout_circuit_open',
      help: '1 while nothing is sent to a channel because its calls fail, else 0',
      labelNames,
    });
    this.unsent = metrics.gauge({
      name: 'hongbao_unsent_credits',
      help: 'Credits that no payout of their channel has taken up yet, at most 10000 of a channel',
      labelNames,
    });
    this.overdue = metrics.gauge({
      name: 'hongbao_unsent_credits_overdue_seconds',
      help: 'How long ago the sweep should have looked at the most overdue of them; 0 while the channel is paused',
      labelNames,
    });
    this.findings = metrics.gauge({
      name: 'hongbao_payout_findings_open',
      help: 'Disagreements with a channel that nobody has ended',
      labelNames,
    });
  }

  @Repeats('PayoutWatch', LOOK_EVERY_MS, { logs: 'changes' })
  async measure(): Promise<void> {
    const [channels, open] = await Promise.all([this.watch.channels(), this.watch.open()]);
    for (const gauge of [this.open, this.oldest, this.circuit, this.unsent, this.overdue, this.findings])
      gauge.reset();
    for (const { channel, isCircuitOpen, unsent, overdueSeconds, misdated, findings } of channels) {
      this.circuit.set({ channel }, isCircuitOpen ? 1 : 0);
      this.unsent.set({ channel }, unsent);
      const misdatedSeconds = this.ages.secondsOf(channel, misdated ?? undefined, 0);
      this.overdue.set({ channel }, Math.max(overdueSeconds, misdatedSeconds));
      this.findings.set({ channel }, findings);
      for (const state of OPEN_STATES) {
        this.open.set({ channel, state }, 0);
        this.oldest.set({ channel, state }, 0);
      }
    }
    for (const { channel, state, count, oldestSeconds, first } of open) {
      this.open.set({ channel, state }, count);
      this.oldest.set({ channel, state }, this.ages.secondsOf(`${channel} ${state}`, first, oldestSeconds));
    }
  }
}
