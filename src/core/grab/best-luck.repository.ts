import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

export interface Luck {
  readonly userId: string;
  readonly amountMinor: bigint;
}

@Injectable()
export class BestLuckRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Returns the claims whose packets were kept when the activity ended, without those that were
   * declared void since.
   */
  async kept(activityId: string): Promise<Luck[]> {
    const rows = await this.dataSource.query<{ userId: string; amountMinor: string }[]>(
      `select claim.user_id as "userId", claim.amount_minor as "amountMinor"
         from claim
        where claim.activity_id = $1
          and claim.packet_no = any((select best_luck from activity where id = $1)::integer[])
          and not exists (select from dead_letter where claim_id = claim.id and status = 'void')
        order by claim.amount_minor desc, claim.packet_no`,
      [activityId],
    );
    return rows.map(({ userId, amountMinor }) => ({ userId, amountMinor: BigInt(amountMinor) }));
  }
}
