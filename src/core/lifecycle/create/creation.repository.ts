import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppConfig } from '../../../platform/config';
import { columnsOf, type NewActivity, partitionsFile } from '../../activity';
import { PLAY_MONEY } from '../../currency';
import type { Queries } from '../../../platform/postgres';

@Injectable()
export class CreationRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  /** Returns a new id, after its packets, claims and credits have a place. */
  async nextId(tx: EntityManager): Promise<string> {
    const [row] = await tx.query<{ id: string }[]>(
      `select nextval(pg_get_serial_sequence('activity', 'id')) as id`,
    );
    await this.makePartitions(row!.id, tx);
    return row!.id;
  }

  /** Makes partitions for this activity, or, without it, for those that come next. */
  async makePartitions(activityId?: string, db: Queries = this.dataSource): Promise<void> {
    await db.query(`select make_partitions_${partitionsFile.version}($1, $2)`, [
      activityId ?? null,
      this.config.PARTITION_ACTIVITIES,
    ]);
  }

  async now(tx: EntityManager): Promise<Date> {
    const [row] = await tx.query<{ now: Date }[]>(`select now() as now`);
    return row!.now;
  }

  async insert(tx: EntityManager, { terms, ...activity }: NewActivity): Promise<void> {
    const row = {
      id: activity.id,
      sponsor_account_id: activity.sponsorAccountId,
      total_minor: activity.totalMinor,
      packet_count: activity.packetCount,
      theme: activity.theme && JSON.stringify(activity.theme),
      split: JSON.stringify(activity.split),
      seed: activity.seed,
      ...columnsOf(terms),
    };
    const columns = Object.keys(row);
    await tx.query(
      `insert into activity (${columns.join(', ')}) overriding system value
       values (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
      Object.values(row),
    );
  }

  /**
   * The number of active activities of a sponsor, in play money or not, with those of this transaction, up to `max`.
   */
  async activeOf(tx: EntityManager, sponsorId: string, isPlay: boolean, max: number): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(
      `select count(*)::integer as count
         from (select from activity where sponsor_id = $1 and status = 'active' and (currency = '${PLAY_MONEY}') = $3 limit $2) as active`,
      [sponsorId, max, isPlay],
    );
    return row!.count;
  }
}
