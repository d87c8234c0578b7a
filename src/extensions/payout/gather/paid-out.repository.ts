import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** A credit of an activity with a channel, and its payout. */
export interface PaidOutRow {
  readonly packetNo: number;
  readonly claimId: string;
  readonly userId: string;
  readonly amountMinor: bigint;
  readonly state: string;
  readonly payoutId: string | null;
  readonly externalId: string | null;
  readonly endedAt: Date | null;
}

/** Lists the credits of an activity with the state of their payouts. */
@Injectable()
export class PaidOutRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Returns credits that leave through a channel, in the order of their packets. */
  async list(activityId: string, afterPacketNo: number, limit: number): Promise<PaidOutRow[]> {
    const rows = await this.dataSource.query<(Omit<PaidOutRow, 'amountMinor'> & { amountMinor: string })[]>(
      `select claim.packet_no as "packetNo", claim.id as "claimId", claim.user_id as "userId",
              payout_credit.amount_minor as "amountMinor",
              coalesce(payout.state, case when released_at is null then 'unsent' else 'released' end) as state,
              payout.id as "payoutId", external_id as "externalId", ended_at as "endedAt"
         from claim
         join payout_credit on payout_credit.claim_id = claim.id
         left join payout on payout.id = payout_credit.payout_id
        where claim.activity_id = $1 and claim.packet_no > $2
        order by claim.packet_no limit $3`,
      [activityId, afterPacketNo, limit],
    );
    return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
  }
}
