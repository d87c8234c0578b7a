import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  type Credit,
  CreditChain,
  type ListedRow,
  NO_LINK,
  NO_OTHERS,
  type PageStart,
  type Walk,
} from '../wallet';
import { CreditOutlet } from '../outlet';

export const SETTLEMENTS = ['pending', 'credited', 'sent', 'paid', 'held', 'dead-letter', 'void'] as const;
type Settlement = (typeof SETTLEMENTS)[number];

export interface ClaimRow {
  readonly id: string;
  readonly activityId: string;
  readonly packetNo: number;
  readonly userId: string;
  readonly amountMinor: bigint;
  readonly confirmedAt: Date;
  readonly creditedAt: Date | null;
  readonly settlement: Settlement;
}

export type ListedClaim = ClaimRow & ListedRow;

const STATE_OF_UNPAID = `
  case when dead_letter.status = 'open' and dead_letter.reason = 'held' then 'held'
       when dead_letter.status in ('open', 'resolved') then 'dead-letter'
       when dead_letter.status = 'void' then 'void'
       else 'pending' end`;

const CLAIM = `
  claim.id, claim.activity_id as "activityId", claim.packet_no as "packetNo", claim.user_id as "userId",
  claim.amount_minor as "amountMinor", claim.confirmed_at as "confirmedAt"`;

/** Claims with the state of their money. */
@Injectable()
export class WonPacketRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly chain: CreditChain,
    private readonly outlet: CreditOutlet,
  ) {}

  async findClaim(activityId: string, userId: string): Promise<ClaimRow | undefined> {
    const [claim] = await this.read('claim.activity_id = $1 and claim.user_id = $2', [activityId, userId]);
    return claim;
  }

  async findPacket(activityId: string, packetNo: number): Promise<ClaimRow | undefined> {
    const [claim] = await this.read('claim.activity_id = $1 and claim.packet_no = $2', [
      activityId,
      packetNo,
    ]);
    return claim;
  }

  /** Looks into every partition: one for each 10,000 activities. */
  async findById(claimId: string): Promise<ClaimRow | undefined> {
    const [claim] = await this.read('claim.id = $1', [claimId]);
    return claim;
  }

  /**
   * Returns the packets in a currency that a user has won: those that were paid, by the chain of credits, and all
   * others, which are few. Both newest first, at most `limit` of each.
   */
  async listOfUser(
    userId: string,
    currency: string,
    { link, beforeId }: PageStart,
    limit: number,
  ): Promise<{ readonly paid: Walk<ListedClaim>; readonly unpaid: Walk<ListedClaim> }> {
    // In this order no claim is missed that is paid meanwhile. It may be read twice.
    const unpaid = await this.unpaid(userId, currency, beforeId, limit);
    const paid = await this.paid(userId, currency, link, limit);
    const paidIds = new Set(paid.rows.map(({ id }) => id));
    return {
      paid: { ...paid, rows: await this.followCredits(paid.rows) },
      unpaid: { rows: unpaid.filter(({ id }) => !paidIds.has(id)), next: NO_OTHERS },
    };
  }

  private async paid(
    userId: string,
    currency: string,
    link: string | undefined,
    limit: number,
  ): Promise<Walk<ListedClaim>> {
    const rows: ListedClaim[] = [];
    for await (const credit of this.chain.walk(userId, currency, link, limit)) {
      if (credit.id === null) return { rows, next: credit.link, archived: true };
      rows.push(creditedClaim(userId, credit));
      if (rows.length === limit) break;
    }
    return { rows, next: NO_LINK };
  }

  private async followCredits(rows: readonly ListedClaim[]): Promise<ListedClaim[]> {
    const states = await this.outlet.statesOf(rows.map(({ id }) => id));
    return rows.map((row) => ({ ...row, settlement: states.get(row.id) ?? row.settlement }));
  }

  private async unpaid(
    userId: string,
    currency: string,
    beforeId: string | undefined,
    limit: number,
  ): Promise<ListedClaim[]> {
    const unpaid = await this.dataSource.query<{ activityId: string }[]>(
      `select activity_id as "activityId"
         from ((select activity_id, claim_id from unsettled_claim join activity on activity.id = activity_id
                 where user_id = $1 and currency = $4 and ($2::bigint is null or claim_id < $2)
                 order by claim_id desc limit $3)
               union all
               (select activity_id, claim_id from dead_letter join activity on activity.id = activity_id
                 where user_id = $1 and currency = $4 and dead_letter.status <> 'replayed' and ($2::bigint is null or claim_id < $2)
                 order by claim_id desc limit $3)) as unpaid
        order by claim_id desc limit $3`,
      [userId, beforeId, limit, currency],
    );
    if (unpaid.length === 0) return [];
    const claims = await this.dataSource.query<ClaimRow[]>(
      `select ${CLAIM}, null as "creditedAt", ${STATE_OF_UNPAID} as settlement
         from claim
         left join dead_letter on dead_letter.claim_id = claim.id
        where claim.activity_id = any($1::bigint[]) and claim.user_id = $2
        order by claim.id desc`,
      [unpaid.map(({ activityId }) => activityId), userId],
    );
    return claimsOf(claims).map((claim) => ({ ...claim, link: null }));
  }

  /**
   * Returns winners, newest first: packets leave the list from its end, so the lowest number is the
   * latest one, until packets are added. An order by claim would need one more index on the table
   * that every winner writes to.
   */
  listOfActivity(activityId: string, afterPacketNo: number, limit: number): Promise<ClaimRow[]> {
    const which = `claim.activity_id = $1 and claim.packet_no > $2 order by claim.packet_no limit $3`;
    return this.read(which, [activityId, afterPacketNo, limit]);
  }

  private async read(which: string, values: unknown[]): Promise<ClaimRow[]> {
    const { state, joins } = this.outlet.sql;
    const rows: ClaimRow[] = await this.dataSource.query(
      `select ${CLAIM}, transfer.created_at as "creditedAt",
              case when transfer.id is not null then ${state} else ${STATE_OF_UNPAID} end as settlement
         from claim
         left join transfer on transfer.kind = 'credit' and transfer.source_id = claim.id
                           and transfer.activity_id = claim.activity_id
         left join dead_letter on dead_letter.claim_id = claim.id${joins}
        where ${which}`,
      values,
    );
    return claimsOf(rows);
  }
}

const claimsOf = (rows: readonly ClaimRow[]): ClaimRow[] =>
  rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));

const creditedClaim = (userId: string, credit: Credit): ListedClaim => ({
  id: credit.claimId,
  activityId: credit.link,
  link: credit.link,
  userId,
  packetNo: credit.packetNo,
  confirmedAt: credit.confirmedAt,
  creditedAt: credit.creditedAt,
  amountMinor: BigInt(credit.amountMinor),
  settlement: 'credited',
});
