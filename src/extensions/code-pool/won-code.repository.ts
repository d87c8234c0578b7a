import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** The code of a packet, and who has seen it first. */
export interface ShownCode {
  readonly poolId: string;
  readonly no: number;
  readonly userId: string;
  readonly firstShownAt: Date;
  readonly sealed: Buffer;
}

/** A code that its winner has seen. */
export interface SeenCode {
  readonly activityId: string;
  readonly packetNo: number;
  readonly poolId: string;
  readonly poolName: string;
  readonly firstShownAt: Date;
}

/** The wallet that holds what user $2 has won in activity $1 is frozen. */
const IS_FROZEN = `exists (select from account join activity on activity.id = $1 and activity.currency = account.currency
                            where owner_id = $2 and account.kind = 'wallet' and account.status = 'frozen')`;

@Injectable()
export class WonCodeRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async findShown(activityId: string, packetNo: number): Promise<ShownCode | undefined> {
    const [row] = await this.dataSource.query<ShownCode[]>(
      `select showing.pool_id::text as "poolId", no, user_id as "userId", first_shown_at as "firstShownAt", sealed
         from code_showing as showing join code using (pool_id, no)
        where activity_id = $1 and packet_no = $2`,
      [activityId, packetNo],
    );
    return row;
  }

  /** Codes of the newest activities first, beginning before this packet. */
  seenBy(
    userId: string,
    before: { readonly activityId: string; readonly no: number } | undefined,
    limit: number,
  ): Promise<SeenCode[]> {
    return this.dataSource.query(
      `select activity_id::text as "activityId", packet_no as "packetNo", pool_id::text as "poolId",
              code_pool.name as "poolName", first_shown_at as "firstShownAt"
         from code_showing join code_pool on code_pool.id = pool_id
        where user_id = $1 and ($2::bigint is null or (activity_id, packet_no) < ($2, $3::integer))
        order by activity_id desc, packet_no desc limit $4`,
      [userId, before?.activityId, before?.no, limit],
    );
  }

  async isFrozen(activityId: string, userId: string): Promise<boolean> {
    const [row] = await this.dataSource.query<[{ frozen: boolean }]>(`select ${IS_FROZEN} as frozen`, [
      activityId,
      userId,
    ]);
    return row.frozen;
  }

  /**
   * Records the first showing. Nothing happens if it was shown before, or if the winner's wallet was frozen or the
   * winner forgotten in the meantime: the lock on the wallet lets an erasure come wholly before or after this.
   */
  async show(activityId: string, packetNo: number, userId: string): Promise<void> {
    await this.dataSource.query(
      `insert into code_showing (pool_id, no, activity_id, packet_no, user_id)
       select pool_id, first_no + $3::integer - first_packet_no, activity_id, $3, owner_id
         from (select * from code_reserved where activity_id = $1 and first_packet_no <= $3
                order by first_packet_no desc limit 1) as held
         join activity on activity.id = activity_id
         join account as wallet on owner_id = $2 and wallet.kind = 'wallet' and wallet.currency = activity.currency
        where $3 < first_packet_no + count and wallet.status = 'active'
          for key share of wallet
       on conflict on constraint code_showing_packet_once do nothing`,
      [activityId, userId, packetNo],
    );
  }
}
