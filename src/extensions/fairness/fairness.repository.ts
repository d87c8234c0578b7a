import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { SplitPlan } from '../../../libs/split';

export interface BatchRow {
  readonly batchNo: number;
  readonly firstNo: number;
  readonly packetCount: number;
  readonly amountMinor: string;
  /** The terms, as they were sent. */
  readonly split: {
    readonly kind: SplitPlan['kind'];
    readonly min?: string;
    readonly max?: string;
    readonly tiers?: readonly { readonly amount: string; readonly count: number }[];
  };
  readonly currency: string;
  /** All four are null for packets that a former release drew. */
  readonly terms: string | null;
  readonly commit: string | null;
  readonly root: string | null;
  /** Null until the activity has ended. */
  readonly seed: string | null;
}

export interface WonBatch {
  readonly terms: string | null;
  readonly firstNo: number;
  readonly amountMinor: string;
  readonly seed: string;
  readonly root: string;
}

/** Reads commitments. The module `lifecycle` writes them. */
@Injectable()
export class FairnessRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Returns batches in their order. The seeds stay here until the activity has ended: from then on
   * nobody wins a packet of it.
   */
  batches(activityId: string, fromBatch: number, limit: number): Promise<BatchRow[]> {
    return this.dataSource.query(
      `with part as (
         select 0 as batch_no, 1 as first_no, split, seed,
                packet_count - coalesce((select sum(packet_count) from top_up where activity_id = $1), 0) as packet_count,
                total_minor - coalesce((select sum(amount_minor) from top_up where activity_id = $1), 0) as amount_minor
           from activity where id = $1
         union all
         select row_number() over (order by first_no), first_no, split, seed, packet_count, amount_minor
           from top_up where activity_id = $1
       )
       select part.batch_no::integer as "batchNo", part.first_no as "firstNo", part.packet_count::integer as "packetCount",
              part.amount_minor as "amountMinor", part.split, currency, terms,
              encode(commitment, 'hex') as commit, encode(root, 'hex') as root,
              case when status <> 'active' then part.seed end as seed
         from part
         join activity on activity.id = $1
         left join packet_batch on activity_id = $1 and packet_batch.first_no = part.first_no
        where part.batch_no >= $2 order by part.batch_no limit $3`,
      [activityId, fromBatch, limit],
    );
  }

  async countBatches(activityId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>(
      `select 1 + count(*)::integer as count from top_up where activity_id = $1`,
      [activityId],
    );
    return row!.count;
  }

  /** The batch of a packet, if it is this user's. `terms` is null where a former release drew it. */
  async batchOf(activityId: string, no: number, userId: string): Promise<WonBatch | undefined> {
    const [row] = await this.dataSource.query<WonBatch[]>(
      `select terms, batch.first_no as "firstNo", claim.amount_minor as "amountMinor", encode(root, 'hex') as root,
              coalesce(top_up.seed, activity.seed) as seed
         from claim
         join activity on activity.id = $1
         left join lateral (select * from top_up where activity_id = $1 and first_no <= $2
                             order by first_no desc limit 1) as top_up on true
         left join packet_batch as batch
                on batch.activity_id = $1 and batch.first_no = coalesce(top_up.first_no, 1)
        where claim.activity_id = $1 and claim.user_id = $3 and claim.packet_no = $2`,
      [activityId, no, userId],
    );
    return row;
  }

  /** The amounts of packets that follow each other. */
  async amountsMinor(activityId: string, firstNo: number, count: number): Promise<bigint[]> {
    const rows = await this.dataSource.query<{ amount: string }[]>(
      `select amount_minor as amount from packet
        where activity_id = $1 and no >= $2 and no < $2 + $3::integer order by no`,
      [activityId, firstNo, count],
    );
    return rows.map(({ amount }) => BigInt(amount));
  }

  /** The hashes at these offsets of the kept rows. */
  async keptHashes(activityId: string, firstNo: number, offsets: readonly number[]): Promise<Buffer[]> {
    const rows = await this.dataSource.query<{ hash: Buffer }[]>(
      `select substring(upper_rows from 1 + kept_offset for 32) as hash
         from packet_batch cross join unnest($3::integer[]) with ordinality as kept (kept_offset, nth)
        where activity_id = $1 and first_no = $2 order by nth`,
      [activityId, firstNo, offsets],
    );
    return rows.map(({ hash }) => hash);
  }
}
