import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { ActivityStatus } from '../activity';
import { NO_SQL, type OutletSql } from '../outlet';
import { ON_ITS_WAY_MS } from './on-its-way';

/** Sums in minor units and counts of one activity, all from one snapshot. */
export interface ActivitySums {
  readonly status: ActivityStatus;
  readonly sponsorId: string;
  readonly packetCount: number;
  readonly parts: number;
  readonly totalMinor: bigint;
  readonly escrowMinor: bigint;
  readonly fundedMinor: bigint;
  readonly voidMinor: bigint;
  readonly refundedMinor: bigint;
  readonly packetsMinor: bigint;
  readonly claimedMinor: bigint;
  readonly creditedMinor: bigint;
  readonly pendingMinor: bigint;
  readonly deadMinor: bigint;
  /** Of `deadMinor`: resolved without a payment. */
  readonly resolvedMinor: bigint;
  /** Of `creditedMinor`: on its way out of wallets, and at its end. */
  readonly sentMinor: bigint;
  readonly paidMinor: bigint;
  readonly packets: number;
  readonly claims: number;
  readonly credited: number;
  readonly sent: number;
  readonly paid: number;
  readonly pending: number;
  readonly dead: number;
  readonly void: number;
  /** Claims that are not in exactly one of the four states. */
  readonly stray: number;
  /** How long the oldest pending claim has waited; null if there is none. */
  readonly oldestPendingMs: number | null;
  readonly closedAt: Date | null;
  readonly ageMs: number;
  /** It ended a moment ago, and Redis may not have all its results yet. */
  readonly isEnding: boolean;
  /** Redis holds nothing of it any more. */
  readonly isForgotten: boolean;
}

@Injectable()
export class ProofRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Returns unsealed activities of at most `packetsMax` packets, after `afterId`, by their ids. */
  unsealed(
    afterId: string,
    packetsMax: number,
    limit: number,
  ): Promise<{ id: string; packetCount: number }[]> {
    return this.dataSource.query(
      `select id, packet_count as "packetCount" from activity
        where id > $1 and packet_count <= $2 and not exists (select from seal where activity_id = activity.id)
        order by id limit $3`,
      [afterId, packetsMax, limit],
    );
  }

  /** @param outlet says how far each credit has got */
  async sums(
    activityId: string,
    outlet: Pick<OutletSql, 'joins' | 'state'> = NO_SQL,
  ): Promise<ActivitySums | undefined> {
    const [row]: SumsRow[] = await this.dataSource.query(
      `with state as (
         select claim.id, claim.amount_minor, unsettled_claim.queued_at, dead_letter.status = 'resolved' as resolved,
                case when transfer.id is not null then ${outlet.state} end as way,
                transfer.id is not null as credited,
                unsettled_claim.claim_id is not null as pending,
                coalesce(dead_letter.status in ('open', 'resolved'), false) as dead,
                coalesce(dead_letter.status = 'void', false) as void
           from claim
           left join transfer on transfer.kind = 'credit' and transfer.source_id = claim.id
                             and transfer.activity_id = claim.activity_id
           left join unsettled_claim on unsettled_claim.claim_id = claim.id
           left join dead_letter on dead_letter.claim_id = claim.id${outlet.joins}
          where claim.activity_id = $1
       ), claims as (
         select count(distinct id) as claims,
                count(*) filter (where credited) as credited,
                count(*) filter (where way = 'sent') as sent,
                count(*) filter (where way = 'paid') as paid,
                count(*) filter (where pending) as pending,
                count(*) filter (where dead) as dead,
                count(*) filter (where void) as void,
                count(*) filter (where credited::int + pending::int + dead::int + void::int <> 1)
                  + count(*) - count(distinct id) as stray,
                coalesce(sum(amount_minor) filter (where credited), 0) as credited_minor,
                coalesce(sum(amount_minor) filter (where pending), 0) as pending_minor,
                coalesce(sum(amount_minor) filter (where dead), 0) as dead_minor,
                coalesce(sum(amount_minor) filter (where resolved), 0) as resolved_minor,
                coalesce(sum(amount_minor) filter (where way = 'sent'), 0) as sent_minor,
                coalesce(sum(amount_minor) filter (where way = 'paid'), 0) as paid_minor,
                case when count(queued_at) > 0
                     then greatest(0, extract(epoch from clock_timestamp() - min(queued_at)) * 1000)::float8 end as oldest_pending_ms
           from state
       ), packets as (
         select count(*) as packets, coalesce(sum(amount_minor), 0) as packets_minor from packet where activity_id = $1
       ), claimed as (
         select coalesce(sum(amount_minor), 0) as claimed_minor from claim where activity_id = $1
       ), moved as (
         select coalesce(sum(amount_minor) filter (where kind in ('fund', 'top-up')), 0) as funded_minor,
                coalesce(sum(amount_minor) filter (where kind = 'void'), 0) as void_minor,
                coalesce(sum(amount_minor) filter (where kind = 'refund'), 0) as refunded_minor
           from (select kind, amount_minor from transfer where kind in ('fund', 'refund') and source_id = $1
                 union all
                 select kind, transfer.amount_minor
                   from top_up join transfer on kind = 'top-up' and source_id = top_up.id
                  where top_up.activity_id = $1
                 union all
                 select kind, transfer.amount_minor
                   from dead_letter join transfer on kind = 'void' and source_id = claim_id
                  where dead_letter.activity_id = $1) as own
       )
       select activity.status, sponsor_id as "sponsorId", packet_count as "packetCount", parts, total_minor as "totalMinor",
              escrow.balance_minor as "escrowMinor", funded_minor as "fundedMinor", void_minor as "voidMinor",
              refunded_minor as "refundedMinor", packets_minor as "packetsMinor", claimed_minor as "claimedMinor",
              credited_minor as "creditedMinor", pending_minor as "pendingMinor", dead_minor as "deadMinor",
              resolved_minor as "resolvedMinor", sent_minor as "sentMinor", paid_minor as "paidMinor",
              packets, claims, credited, sent, paid, pending, dead, void, stray,
              oldest_pending_ms as "oldestPendingMs", closed_at as "closedAt",
              extract(epoch from clock_timestamp() - activity.created_at) * 1000 as "ageMs",
              activity.status <> 'active' and tidied_at is null
                and closed_at > clock_timestamp() - $2 * interval '1 millisecond' as "isEnding",
              forgotten_at is not null as "isForgotten"
         from activity
         join account escrow on escrow.id = activity.escrow_account_id
        cross join claims cross join claimed cross join packets cross join moved
        where activity.id = $1`,
      [activityId, ON_ITS_WAY_MS],
    );
    return row && toSums(row);
  }
}

type AsRead = 'status' | 'oldestPendingMs' | 'closedAt' | 'isEnding' | 'isForgotten';
type SumsRow = Record<Exclude<keyof ActivitySums, AsRead>, string> & Pick<ActivitySums, AsRead>;

function toSums(row: SumsRow): ActivitySums {
  return {
    status: row.status,
    sponsorId: row.sponsorId,
    packetCount: Number(row.packetCount),
    parts: Number(row.parts),
    totalMinor: BigInt(row.totalMinor),
    escrowMinor: BigInt(row.escrowMinor),
    fundedMinor: BigInt(row.fundedMinor),
    voidMinor: BigInt(row.voidMinor),
    refundedMinor: BigInt(row.refundedMinor),
    packetsMinor: BigInt(row.packetsMinor),
    claimedMinor: BigInt(row.claimedMinor),
    creditedMinor: BigInt(row.creditedMinor),
    pendingMinor: BigInt(row.pendingMinor),
    deadMinor: BigInt(row.deadMinor),
    resolvedMinor: BigInt(row.resolvedMinor),
    sentMinor: BigInt(row.sentMinor),
    paidMinor: BigInt(row.paidMinor),
    packets: Number(row.packets),
    claims: Number(row.claims),
    credited: Number(row.credited),
    sent: Number(row.sent),
    paid: Number(row.paid),
    pending: Number(row.pending),
    dead: Number(row.dead),
    void: Number(row.void),
    stray: Number(row.stray),
    oldestPendingMs: row.oldestPendingMs,
    closedAt: row.closedAt,
    ageMs: Number(row.ageMs),
    isEnding: row.isEnding,
    isForgotten: row.isForgotten,
  };
}
