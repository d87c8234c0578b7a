import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { OwnRedis, RainContents, ShardJournals } from '../../../../libs/redis-scripts';
import { changeSetting } from '../../../platform/postgres';
import { workerSeenSecondsAgo } from '../../dispenser';

/** Workers sign twice a second. */
const WORKER_GONE_AFTER_SECONDS = 3;

/**
 * Changes the number of shards, and with it the place of every activity in Redis. Nothing is moved:
 * while no activity is active, and every reservation is decided, Redis holds nothing that Postgres
 * cannot answer. Redis is emptied first. If the change is interrupted after that, Redis knows nothing,
 * which the programs repair as usual.
 */
@Injectable()
export class ShardCount {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly own: OwnRedis,
    private readonly journals: ShardJournals,
    private readonly contents: RainContents,
  ) {}

  /** @throws Error with one line if a worker runs, or if Redis holds something that must not be forgotten */
  async change(to: number): Promise<void> {
    await this.expectNoWorker();
    await this.dataSource.transaction(async (tx) => {
      await this.expectNoneActive(tx);
      await this.expectAllDecided();
      await this.contents.eraseShards();
      await changeSetting(tx, 'SHARD_COUNT', String(to));
    });
  }

  /** A program that runs would go on with the former number. */
  private async expectNoWorker(): Promise<void> {
    const seconds = await workerSeenSecondsAgo(this.own);
    if (seconds !== undefined && seconds < WORKER_GONE_AFTER_SECONDS)
      throw new Error('A worker still runs, or has just ended: stop all programs, then try again.');
  }

  /**
   * Prevents changes of any activity until the transaction ends, or this host vanishes; only the
   * table owner may do this.
   */
  private async expectNoneActive(tx: EntityManager): Promise<void> {
    await tx.query(
      `set local idle_in_transaction_session_timeout = '1min'; lock table activity in share mode`,
    );
    const [active] = await tx.query<{ count: number }[]>(
      `select count(*)::integer as count from activity where status = 'active'`,
    );
    if (active!.count > 0)
      throw new Error(`Activities that have not ended: ${active!.count}. Close them, or wait for their end.`);
  }

  private async expectAllDecided(): Promise<void> {
    for (const shard of this.own.keys.shards) {
      const { entries, quarantined } = await this.journals.standing(shard);
      if (entries > 0)
        throw new Error(
          `The journal of shard ${shard} has undecided entries: start a worker, and wait for it.`,
        );
      if (quarantined > 0)
        throw new Error(`Shard ${shard} has entries in quarantine: see GET /v1/journal/quarantine.`);
    }
  }
}
