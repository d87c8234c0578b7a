import { Injectable } from '@nestjs/common';
import { within } from '../../../libs/deadline';
import { sharedLook } from '../../../libs/shared-look';
import { CorrectionLog, type JournalStanding, ShardJournals } from '../../../libs/redis-scripts';
import { Currencies } from '../../core/currency';
import { WatchRepository } from '../payout';
import { UndeliveredRepository } from '../webhook';
import { ALERT_RULES } from './alerts/alert-rules';
import { FiringAlerts } from './alerts/firing-alerts';
import type { OverviewDto } from './overview.dto';
import { type MoneyFigures, OverviewRepository } from './overview.repository';
import { RefusalCounts } from './refusal-counts';
import type { RefusalReason } from './refusals';
import { SystemFigures } from './system-figures';

const ANSWER_WITHIN_MS = 1_000;

/** The engines are asked once in this time, however many people watch. */
const KEPT_MS = 500;

/** A part is null while its engine is down. */
@Injectable()
export class OverviewService {
  readonly read = sharedLook(() => this.readOverview(), KEPT_MS);

  constructor(
    private readonly figures: OverviewRepository,
    private readonly journals: ShardJournals,
    private readonly corrections: CorrectionLog,
    private readonly channels: WatchRepository,
    private readonly undelivered: UndeliveredRepository,
    private readonly system: SystemFigures,
    private readonly refusals: RefusalCounts,
    private readonly alerts: FiringAlerts,
    private readonly currencies: Currencies,
  ) {}

  private async readOverview(): Promise<OverviewDto> {
    const { system } = this;
    const [standing, journal, queue, refusals, alerts, claimLog, money, outbound, corrections] =
      await Promise.all([
        ifThere(system.standing()),
        ifThere(this.journal()),
        ifThere(system.queueCounts()),
        this.refused(),
        this.firing(),
        ifThere(system.claimLog()),
        ifThere(this.money()),
        ifThere(this.outbound()),
        ifThere(this.corrections.recent()),
      ]);
    return {
      system: standing,
      journal,
      queue,
      refusals,
      alerts,
      claimLog,
      money,
      outbound,
      corrections: corrections as OverviewDto['corrections'],
    };
  }

  private async refused(): Promise<OverviewDto['refusals']> {
    const { counts, ofAllProcesses } = await this.refusals.lastMinute();
    const lastMinute = Array.from(counts, ([reason, count]) => ({ reason: reason as RefusalReason, count }));
    return { lastMinute, ofAllProcesses };
  }

  private async firing(): Promise<OverviewDto['alerts']> {
    const { firing, ofAllProcesses } = await this.alerts.read();
    const alerts = firing.flatMap(({ alert, labels }) => {
      // A process of another release may have another rule.
      const rule = ALERT_RULES.find((one) => one.alert === alert);
      return rule ? [{ alert, severity: rule.severity as 'critical' | 'warning', labels }] : [];
    });
    return { firing: alerts.sort((a, b) => (a.severity < b.severity ? -1 : 1)), ofAllProcesses };
  }

  private async money(): Promise<MoneyFigures & { readonly undelivered: number }> {
    const [figures, { waiting, dead }] = await Promise.all([this.figures.money(), this.undelivered.counts()]);
    return { ...figures, undelivered: waiting + dead };
  }

  private async outbound(): Promise<NonNullable<OverviewDto['outbound']>> {
    const [channels, open] = await this.channels.both();
    const currencies = await Promise.all(
      channels.map(({ outboundAccountId }) => this.currencies.ofAccount(outboundAccountId)),
    );
    return channels.map(({ channel: channelId, name, isPaused, outboundMinor, ...standing }, i) => {
      const currency = currencies[i]!;
      // One under review has taken no money yet.
      const ours = open.filter(({ channel, state }) => channel === channelId && state !== 'review');
      return {
        channelId,
        name,
        paused: isPaused,
        circuitOpen: standing.isCircuitOpen,
        heldByFinding: standing.isHeldByFinding,
        payouts: ours.reduce((sum, { count }) => sum + count, 0),
        amount: currency.format(BigInt(outboundMinor)),
        currency: currency.code,
        oldestSeconds: Math.max(0, ...ours.map(({ oldestSeconds }) => oldestSeconds)),
        unsent: standing.unsent,
        findings: standing.findings,
      };
    });
  }

  private async journal(): Promise<NonNullable<OverviewDto['journal']>> {
    const { shards } = this.journals.keys;
    const standings = await Promise.all(shards.map((shard) => this.journals.standing(shard)));
    const sum = (of: (standing: JournalStanding) => number) =>
      standings.reduce((total, standing) => total + of(standing), 0);
    return {
      entries: sum(({ entries }) => entries),
      oldestSeconds: Math.max(...standings.map(({ oldest }) => (oldest?.ageMs ?? 0) / 1_000)),
      quarantined: sum(({ quarantined }) => quarantined),
    };
  }
}

const ifThere = <T>(answer: Promise<T>): Promise<T | null> =>
  within(ANSWER_WITHIN_MS, answer).catch(() => null);
