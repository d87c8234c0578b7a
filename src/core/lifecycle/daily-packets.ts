import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isStaff } from '../../../libs/roles';
import { AppConfig } from '../../platform/config';
import type { Caller } from '../../platform/http';
import { isWithin } from '../../platform/postgres';
import { tooManyPackets } from '../activity';
import { PLAY_MONEY } from '../currency';

/**
 * The least that a deed counts as: its rows in the ledger, the audit log and elsewhere take as much room as
 * some hundred packets, for years.
 */
const PACKETS_MIN = 1_000;

const DAY_SECONDS = 86_400;

const RETRY_AFTER_SECONDS = 3_600;

/**
 * Limits the packets that a user may have written within 24 hours. They are kept for a year, but their
 * money comes back at the close: without this, a user could fill the disk with the same 10.00.
 */
@Injectable()
export class DailyPackets {
  constructor(private readonly config: AppConfig) {}

  /**
   * Staff are not limited. Call it before the packets are written, to save work, and with 0 after the
   * transfer has locked the wallet, which decides: of two requests the later one counts the earlier one.
   *
   * @throws tooManyPackets
   */
  async requireRoom(tx: EntityManager, { role }: Caller, walletId: string, more: number): Promise<void> {
    if (isStaff(role)) return;
    const max = this.config.PACKETS_PER_SPONSOR_DAILY_MAX;
    const added = more === 0 ? 0 : Math.max(more, PACKETS_MIN);
    if ((await this.writtenBy(tx, walletId)) + added <= max) return;
    throw tooManyPackets(`A user may have ${max} written in 24 hours, at least ${PACKETS_MIN} at a time.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /**
   * The packets that the owner of this wallet has paid for within 24 hours, in whatever currency, but of play money
   * only if it holds some. Those that replace void claims do not count, however many they are. Reads no more other
   * transfers of a wallet than reach the maximum.
   */
  private async writtenBy(tx: EntityManager, walletId: string): Promise<number> {
    const deedsMax = Math.ceil(this.config.PACKETS_PER_SPONSOR_DAILY_MAX / PACKETS_MIN) + 1;
    const [row] = await tx.query<{ packets: string }[]>(
      `select coalesce(sum(greatest(packets, $2)), 0) as packets
         from account as own
         join account as wallet on (wallet.owner_id, wallet.kind) = (own.owner_id, own.kind)
                and (wallet.currency = '${PLAY_MONEY}') = (own.currency = '${PLAY_MONEY}')
        cross join lateral (
          select kind, source_id, created_at
            from transfer where debit_account_id = wallet.id and kind in ('fund', 'top-up')
             and not exists (
               select from top_up
                where transfer.kind = 'top-up' and top_up.id = transfer.source_id and replaces_claim_id is not null)
           order by id desc limit $3
        ) as paid
        cross join lateral (
          select coalesce((select min(first_no) - 1 from top_up where activity_id = activity.id), packet_count) as packets
            from activity where paid.kind = 'fund' and id = source_id
          union all
          select packet_count from top_up where paid.kind = 'top-up' and id = source_id
        ) as written
        where own.id = $1 and ${isWithin('paid.created_at', DAY_SECONDS)}`,
      [walletId, PACKETS_MIN, deedsMax],
    );
    return Number(row!.packets);
  }
}
