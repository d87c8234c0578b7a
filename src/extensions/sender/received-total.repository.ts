import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PLAY_MONEY } from '../../core/currency';

/** The packets of a stretch of the chain of credits: from `newest`, without `next` and what is older. */
export interface CountedPackets {
  readonly newest: string;
  readonly next: string;
  readonly packets: number;
  readonly amountMinor: bigint;
}

export interface Received {
  readonly currency: string;
  /** The activity that was last credited to the wallet. */
  readonly newest: string;
  readonly counted?: CountedPackets;
}

@Injectable()
export class ReceivedTotalRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Returns the wallets of a user to which packets were credited, with what was counted of each. */
  async find(userId: string): Promise<Received[]> {
    const rows = await this.dataSource.query<
      {
        currency: string;
        last: string;
        newest: string | null;
        next: string;
        packets: number;
        amountMinor: string;
      }[]
    >(
      `select wallet.currency, wallet.last_credit_in as last, newest, next, packets, amount_minor as "amountMinor"
         from account as wallet
         left join received_total as total
                on total.user_id = wallet.owner_id and total.currency = wallet.currency
        where wallet.owner_id = $1 and wallet.kind = 'wallet' and wallet.last_credit_in is not null
          and wallet.currency <> '${PLAY_MONEY}'
        order by wallet.currency`,
      [userId],
    );
    return rows.map(({ currency, last, newest, next, packets, amountMinor }) => ({
      currency,
      newest: last,
      ...(newest !== null && { counted: { newest, next, packets, amountMinor: BigInt(amountMinor) } }),
    }));
  }

  /**
   * Each row is complete in itself, so of two written at once either may stay. Nothing is kept of a user who was
   * forgotten in the meantime: the lock on the wallet lets an erasure come wholly before or after this.
   */
  async keep(userId: string, currency: string, counted: CountedPackets): Promise<void> {
    await this.dataSource.query(
      `insert into received_total (user_id, currency, newest, next, packets, amount_minor)
       select owner_id, currency, $3::bigint, $4::bigint, $5::integer, $6::bigint
         from account where owner_id = $1 and kind = 'wallet' and currency = $2
          for key share
       on conflict on constraint received_total_pkey do update
         set newest = excluded.newest, next = excluded.next, packets = excluded.packets,
             amount_minor = excluded.amount_minor`,
      [userId, currency, counted.newest, counted.next, counted.packets, counted.amountMinor],
    );
  }
}
