import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CREDITS, type ListedRow, type Place } from '../wallet';

export interface ClaimRow {
  readonly id: string;
  readonly activityId: string;
  readonly packetNo: number;
  readonly userId: string;
  readonly amountMinor: bigint;
  readonly confirmedAt: Date;
  readonly creditedAt: Date | null;
  readonly settlement: 'pending' | 'credited' | 'dead-letter' | 'void';
}

const STATE_OF_UNPAID = `
  case when dead_letter.status in ('open', 'resolved') then 'dead-letter'
       when dead_letter.status = 'void' then 'void'
       else 'pending' end`;

/** An unpaid claim, with the columns of a claim that was paid, in their order. */
const UNPAID_CLAIM = `
  claim.id, claim.activity_id, null, claim.packet_no, claim.user_id, claim.amount_minor, claim.confirmed_at, null,
  ${STATE_OF_UNPAID}`;

/** Claims as users read them: with the state of their money. */
@Injectable()
export class WonPacketRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async findClaim(activityId: string, userId: string): Promise<ClaimRow | undefined> {
    const [claim] = await this.read('claim.activity_id = $1 and claim.user_id = $2', [activityId, userId]);
    return claim;
  }

  /**
   * Returns the packets that a user has won: those that were paid, newest first, by the chain of
   * credits; and all others, which are few, newest first. At most `limit` of both.
   */
  async listOfUser(
    userId: string,
    currency: string,
    { link, beforeId }: Place,
    limit: number,
  ): Promise<(ClaimRow & ListedRow)[]> {
    return claimsOf(
      await this.dataSource.query(
        `with ${CREDITS}, unpaid as (
           select activity_id, claim_id from unsettled_claim where user_id = $1
           union all
           select activity_id, claim_id from dead_letter where user_id = $1 and status <> 'replayed'
         )
         (select claim_id as id, activity_id as "activityId", link, packet_no as "packetNo",
                 $1 as "userId", amount_minor as "amountMinor", confirmed_at as "confirmedAt",
                 created_at as "creditedAt", 'credited' as settlement
            from listed limit $6)
         union all
         (select ${UNPAID_CLAIM}
            from unpaid
           cross join lateral (
             select * from claim where activity_id = unpaid.activity_id and user_id = $1 offset 0
           ) as claim
            left join dead_letter on dead_letter.claim_id = claim.id
           where $5::bigint is null or claim.id < $5
           order by claim.id desc limit $6)`,
        [userId, currency, link, true, beforeId, limit],
      ),
    );
  }

  /**
   * Returns the winners and their packets, newest first: packets leave the list from its end, so
   * the lowest number is the latest one, until packets are added. An order by claim would need one
   * more index on the table that every winner writes to.
   */
  listOfActivity(
    activityId: string,
    afterPacketNo: number,
    limit: number,
    userId?: string,
  ): Promise<ClaimRow[]> {
    const which = `claim.activity_id = $1 and ($4::text is null or claim.user_id = $4) and claim.packet_no > $2
                   order by claim.packet_no limit $3`;
    return this.read(which, [activityId, afterPacketNo, limit, userId]);
  }

  private async read(which: string, values: unknown[]): Promise<ClaimRow[]> {
    const rows: ClaimRow[] = await this.dataSource.query(
      `select claim.id, claim.activity_id as "activityId", claim.packet_no as "packetNo", claim.user_id as "userId",
              claim.amount_minor as "amountMinor", claim.confirmed_at as "confirmedAt", transfer.created_at as "creditedAt",
              case when transfer.id is not null then 'credited' else ${STATE_OF_UNPAID} end as settlement
         from claim
         left join transfer on transfer.kind = 'credit' and transfer.source_id = claim.id
                           and transfer.activity_id = claim.activity_id
         left join dead_letter on dead_letter.claim_id = claim.id
        where ${which}`,
      values,
    );
    return claimsOf(rows);
  }
}

/** The row at the end of a history has no amount. */
function claimsOf<Row extends ClaimRow>(rows: readonly Row[]): Row[] {
  return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor ?? 0) }));
}
