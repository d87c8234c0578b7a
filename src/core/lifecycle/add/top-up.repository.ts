import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ADDITION_LOCK } from '../../recovery';

export interface NewTopUp {
  readonly activityId: string;
  readonly amountMinor: bigint;
  readonly packetCount: number;
  /** The number of its first packet. */
  readonly firstNo: number;
  readonly split: object;
  readonly seed: string;
  /** The parts over which its packets are dealt: as many as the activity has, or 1. */
  readonly parts: number;
  /** The void claim whose packet this one packet replaces. */
  readonly replacesClaimId?: string;
}

export interface TopUpRow {
  readonly id: string;
  readonly createdAt: Date;
}

@Injectable()
export class TopUpRepository {
  /**
   * Keeps only other top-ups of this activity waiting until the transaction ends. Nothing else
   * changes its total and the number of its packets.
   */
  async lock(tx: EntityManager, activityId: string): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(${ADDITION_LOCK})`, [activityId]);
  }

  /**
   * Writes a top-up, and with it the activity's new total and number of packets. Undefined, and
   * nothing is written, if the activity has ended or its end is decided: the update takes the row
   * lock that closing takes, waits for a close under way, and looks at the status again.
   */
  async insert(tx: EntityManager, topUp: NewTopUp): Promise<TopUpRow | undefined> {
    const [row] = await tx.query<TopUpRow[]>(
      `with grown as (
         update activity set total_minor = total_minor + $2, packet_count = packet_count + $3
          where id = $1 and status = 'active' and ending is null
         returning id
       )
       insert into top_up (activity_id, amount_minor, packet_count, first_no, split, seed, replaces_claim_id, parts)
       select id, $2, $3, $4, $5, $6, $7, $8 from grown
       returning id, created_at as "createdAt"`,
      [
        topUp.activityId,
        topUp.amountMinor,
        topUp.packetCount,
        topUp.firstNo,
        JSON.stringify(topUp.split),
        topUp.seed,
        topUp.replacesClaimId ?? null,
        topUp.parts,
      ],
    );
    return row;
  }
}
