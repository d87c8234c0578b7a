import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Activity } from '../../core/activity';

export interface TransferRow {
  readonly id: string;
  readonly kind: 'fund' | 'top-up' | 'credit' | 'void' | 'refund';
  /** The account as `<kind>:<owner>`. */
  readonly from: string;
  readonly to: string;
  readonly amountMinor: bigint;
  readonly at: Date;
}

export interface CreditRow extends TransferRow {
  readonly claimId: string;
  readonly packetNo: number;
}

export interface PacketRow {
  readonly no: number;
  readonly amountMinor: bigint;
}

const TRANSFER = `transfer.id, transfer.kind, debit.kind || ':' || debit.owner_id as "from",
  credit.kind || ':' || credit.owner_id as "to", transfer.amount_minor as "amountMinor", transfer.created_at as "at"`;

const ACCOUNTS = `join account debit on debit.id = debit_account_id join account credit on credit.id = credit_account_id`;

/**
 * Pages of an activity's rows. Each page is read by an indexed key, so the last costs as much as
 * the first.
 *
 * All money of an activity goes through its escrow. Money paid in and paid back is found by that
 * account. Credits are not indexed by account, because every payment would write to that index.
 * They are found by the claims that they paid, in the partition of their activity.
 */
@Injectable()
export class ExportRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The money that the sponsor has paid in, in the order of time. */
  paidIn({ escrowAccountId }: Activity, afterId: string, limit: number): Promise<TransferRow[]> {
    return this.read<TransferRow>(
      `select ${TRANSFER} from transfer ${ACCOUNTS}
        where credit_account_id = $1 and transfer.kind in ('fund', 'top-up') and transfer.id > $2
        order by transfer.id limit $3`,
      [escrowAccountId, afterId, limit],
    );
  }

  /** The credits of winners, in the order of their packets. */
  credits({ id }: Activity, afterPacketNo: number, limit: number): Promise<CreditRow[]> {
    return this.read<CreditRow>(
      `select ${TRANSFER}, claim.id as "claimId", claim.packet_no as "packetNo"
         from claim
         join transfer on transfer.kind = 'credit' and transfer.source_id = claim.id and transfer.activity_id = $1
         ${ACCOUNTS}
        where claim.activity_id = $1 and claim.packet_no > $2
        order by claim.packet_no limit $3`,
      [id, afterPacketNo, limit],
    );
  }

  /** The money that went back to the sponsor, in the order of time. */
  paidBack({ escrowAccountId }: Activity, afterId: string, limit: number): Promise<TransferRow[]> {
    return this.read<TransferRow>(
      `select ${TRANSFER} from transfer ${ACCOUNTS}
        where debit_account_id = $1 and transfer.kind in ('void', 'refund') and transfer.id > $2
        order by transfer.id limit $3`,
      [escrowAccountId, afterId, limit],
    );
  }

  packets({ id }: Activity, afterNo: number, limit: number): Promise<PacketRow[]> {
    return this.read<PacketRow>(
      `select no, amount_minor as "amountMinor" from packet where activity_id = $1 and no > $2 order by no limit $3`,
      [id, afterNo, limit],
    );
  }

  private async read<Row extends { readonly amountMinor: bigint }>(
    sql: string,
    values: unknown[],
  ): Promise<Row[]> {
    const rows = await this.dataSource.query<Row[]>(sql, values);
    return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
  }
}
