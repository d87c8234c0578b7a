import { Injectable } from '@nestjs/common';
import { ShardJournals } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';

const LOOK_EVERY_MS = 1_000;

/**
 * How far confirmations are behind. While Postgres is away reservations pile up in the journal; beyond a bound nothing
 * more is reserved, so that the pile stays small enough to be worked off, and Redis from filling up. The bound is soft:
 * the journals are measured once a second, not at every grab.
 */
@Injectable()
export class JournalBacklog {
  private longest = 0;
  private readonly gauge;
  private readonly quarantine;

  constructor(
    private readonly journals: ShardJournals,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.gauge = metrics.gauge({
      name: 'journal_longest_entries',
      help: 'Entries of the longest journal; beyond JOURNAL_ENTRIES_MAX nothing more is reserved',
    });
    this.quarantine = metrics.gauge({
      name: 'journal_quarantine_entries',
      help: 'Journal entries that nobody can read, kept for operators; any at all need a look',
    });
  }

  get isFull(): boolean {
    return this.longest > this.config.JOURNAL_ENTRIES_MAX;
  }

  @Repeats('JournalBacklog', LOOK_EVERY_MS, { logs: 'changes' })
  async look(): Promise<void> {
    const { shards } = this.journals.keys;
    const lengths = await Promise.all(shards.map((shard) => this.journals.length(shard)));
    this.longest = Math.max(...lengths);
    this.gauge.set(this.longest);
    const unreadable = await Promise.all(shards.map((shard) => this.journals.quarantineLength(shard)));
    this.quarantine.set(unreadable.reduce((sum, length) => sum + length, 0));
  }
}
