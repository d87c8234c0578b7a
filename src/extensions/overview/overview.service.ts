import { Injectable } from '@nestjs/common';
import { within } from '../../../libs/deadline';
import { sharedLook } from '../../../libs/shared-look';
import { CorrectionLog, type JournalStanding, OwnRedis, ShardJournals } from '../../../libs/redis-scripts';
import { ClockSkew, RedisMemory, workerSeenSecondsAgo } from '../../core/dispenser';
import { Currency } from '../../platform/config';
import { WatchRepository } from '../payout';
import { UndeliveredRepository } from '../webhook';
import type { OverviewDto } from './overview.dto';
import { type MoneyFigures, OverviewRepository } from './overview.repository';

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
    private readonly own: OwnRedis,
    private readonly memory: RedisMemory,
    private readonly clocks: ClockSkew,
    private readonly currency: Currency,
  ) {}

  private async readOverview(): Promise<OverviewDto> {
    const [system, journal, money, outbound, corrections] = await Promise.all([
      ifThere(this.system()),
      ifThere(this.journal()),
      ifThere(this.money()),
      ifThere(this.outbound()),
      ifThere(this.corrections.recent()),
    ]);
    return { system, journal, money, outbound, corrections: corrections as OverviewDto['corrections'] };
  }

  private async system(): Promise<NonNullable<OverviewDto['system']>> {
    const lead = this.clocks.lastLead;
    return {
      workerSeenSecondsAgo: (await workerSeenSecondsAgo(this.own)) ?? null,
      memoryShare: this.memory.fullestShare,
      takesWrites: !this.memory.refusesWrites,
      clockLeadSeconds: lead?.seconds ?? null,
      clocksAgree: !lead?.isBeyond,
    };
  }

  private async money(): Promise<MoneyFigures & { readonly undelivered: number }> {
    const [figures, { waiting, dead }] = await Promise.all([this.figures.money(), this.undelivered.counts()]);
    return { ...figures, undelivered: waiting + dead };
  }

  private async outbound(): Promise<NonNullable<OverviewDto['outbound']>> {
    const [channels, open] = await this.channels.both();
    return channels.map(({ channel: channelId, name, isPaused, outboundMinor, ...standing }) => {
      // One under review has taken no money yet.
      const ours = open.filter(({ channel, state }) => channel === channelId && state !== 'review');
      return {
        channelId,
        name,
        paused: isPaused,
        circuitOpen: standing.isCircuitOpen,
        payouts: ours.reduce((sum, { count }) => sum + count, 0),
        amount: this.currency.format(BigInt(outboundMinor)),
        currency: this.currency.code,
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
