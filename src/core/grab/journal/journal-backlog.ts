import { Injectable } from '@nestjs/common';
import { type JournalStanding, ShardJournals } from '../../../../libs/redis-scripts';
import { SeenAges } from '../../../../libs/sightings';
import { AppConfig } from '../../../platform/config';
import { Repeats } from '../../../platform/schedule';
import { Metrics } from '../../../platform/telemetry';

const MEASURE_EVERY_MS = 1_000;

/**
 * Measures how far confirmations are behind. Beyond a limit no more packets are reserved, so that the backlog
 * can be worked off once Postgres is back, and Redis does not fill up. The bound is soft: journals are
 * measured once a second. Each has its own, so a master that is down stops no other.
 */
@Injectable()
export class JournalBacklog {
  private readonly lengths: number[];
  private readonly gauges;
  private readonly ages = new SeenAges<number>();

  constructor(
    private readonly journals: ShardJournals,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.lengths = journals.keys.shards.map(() => 0);
    const perShard = { label: 'shard', values: journals.keys.shards.map(String) };
    this.gauges = {
      longest: metrics.gauge({
        name: 'hongbao_journal_longest_entries',
        help: 'Entries of the longest journal; beyond JOURNAL_ENTRIES_MAX nothing more is reserved',
      }),
      quarantined: metrics.gauge({
        name: 'hongbao_journal_quarantine_entries',
        help: 'Unreadable journal entries, kept for operators; even one needs attention',
      }),
      entries: metrics.gauges({
        name: 'hongbao_journal_entries',
        help: 'Entries of the journal of a shard: reservations that are not decided',
        ...perShard,
      }),
      oldest: metrics.gauges({
        name: 'hongbao_journal_oldest_seconds',
        help: 'Age of the oldest entry of the journal of a shard, 0 when it is empty',
        ...perShard,
      }),
      healthy: metrics.observations({
        name: 'hongbao_shard_healthy',
        help: '1 while a shard in Redis answers and belongs to this installation',
        ...perShard,
      }),
    };
    metrics
      .gauge({ name: 'hongbao_journal_max_entries', help: 'The bound of a journal: JOURNAL_ENTRIES_MAX' })
      .set(config.JOURNAL_ENTRIES_MAX);
  }

  /** True if the journal of any of these shards is full. */
  isFull(shards: readonly number[]): boolean {
    return shards.some((shard) => this.lengths[shard]! > this.config.JOURNAL_ENTRIES_MAX);
  }

  /** A shard that does not answer keeps its last length. */
  @Repeats('JournalBacklog', MEASURE_EVERY_MS, { logs: 'changes' })
  async measureJournals(): Promise<void> {
    const { shards } = this.journals.keys;
    const measured = await Promise.allSettled(shards.map((shard) => this.journals.standing(shard)));
    measured.forEach((one, shard) => this.note(shard, one.status === 'fulfilled' ? one.value : undefined));
    this.gauges.longest.set(Math.max(...this.lengths));
    const failed = measured.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    this.gauges.quarantined.set(
      sumOf(measured.map((one) => (one.status === 'fulfilled' ? one.value.quarantined : 0))),
    );
  }

  private note(shard: number, standing: JournalStanding | undefined): void {
    this.gauges.healthy[shard]!.set(standing ? 1 : 0);
    if (!standing) return;
    this.lengths[shard] = standing.entries;
    this.gauges.entries[shard]!.set(standing.entries);
    const { oldest } = standing;
    this.gauges.oldest[shard]!.set(this.ages.secondsOf(shard, oldest?.id, (oldest?.ageMs ?? 0) / 1_000));
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
