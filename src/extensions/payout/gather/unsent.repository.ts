import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { GatheredPayout, UnsentCredit } from './gathering';
import { CREDIT_SECONDS_MAX } from '../channel/waits';

export interface DueWallet {
  readonly id: string;
  readonly userId: string;
  readonly isFrozen: boolean;
  readonly balanceMinor: bigint;
  readonly credits: readonly UnsentCredit[];
}

type WalletRow = Pick<DueWallet, 'id' | 'userId' | 'isFrozen'> & { readonly balanceMinor: string };

const IS_UNSENT = 'payout_id is null and released_at is null';

/** Due further ahead than any credit can be: the clock was ahead when it was written. */
export const IS_MISDATED = `due_at > now() + make_interval(secs => ${CREDIT_SECONDS_MAX})`;

/** Credits of activities with a channel, until they leave or are released. */
@Injectable()
export class UnsentRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Returns the channels in which something unsent is due, including deleted ones. */
  async channels(): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `select id from payout_channel
        where not (is_paused and deleted_at is null)
          and (exists (select from payout_credit where channel_id = payout_channel.id and ${IS_UNSENT} and due_at <= now())
               or exists (select from payout_credit where channel_id = payout_channel.id and ${IS_UNSENT} and ${IS_MISDATED}))
        order by id`,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Locks the wallets of the oldest due credits, and reads all that is unsent of them. A transaction that
   * holds a wallet may change its credits. Wallets that others hold are left for later, so nobody waits.
   * Credits that were put off by a clock that was ahead are due now. Each kind is a range of the index.
   */
  async lockDue(
    tx: EntityManager,
    channelId: string,
    gatherSeconds: number,
    limit: number,
  ): Promise<DueWallet[]> {
    const wallets = await tx.query<WalletRow[]>(
      `select id, owner_id as "userId", status = 'frozen' as "isFrozen", balance_minor as "balanceMinor"
         from account
        where id in (
          (select wallet_account_id from payout_credit
            where channel_id = $1 and ${IS_UNSENT} and due_at <= now() - make_interval(secs => $2)
            order by due_at limit $3)
          union all
          (select wallet_account_id from payout_credit
            where channel_id = $1 and ${IS_UNSENT} and ${IS_MISDATED}
            order by due_at limit $3))
        order by owner_id
          for no key update skip locked`,
      [channelId, gatherSeconds, limit],
    );
    const credits = await this.unsentOf(tx, channelId, wallets);
    return wallets.map((wallet) => ({
      ...wallet,
      balanceMinor: BigInt(wallet.balanceMinor),
      credits: credits.get(wallet.id) ?? [],
    }));
  }

  /** It begins after the wallets are locked, so it sees what the last payout of each has left in it. */
  private async unsentOf(
    tx: EntityManager,
    channelId: string,
    wallets: readonly WalletRow[],
  ): Promise<Map<string, UnsentCredit[]>> {
    const rows = await tx.query<{ walletId: string; claimId: string; amountMinor: string }[]>(
      `select wallet_account_id as "walletId", claim_id as "claimId", amount_minor as "amountMinor"
         from payout_credit
        where wallet_account_id = any($2::bigint[]) and channel_id = $1 and ${IS_UNSENT}
        order by claim_id`,
      [channelId, wallets.map(({ id }) => id)],
    );
    const credits = new Map<string, UnsentCredit[]>(wallets.map(({ id }) => [id, []]));
    for (const { walletId, claimId, amountMinor } of rows)
      credits.get(walletId)!.push({ claimId, amountMinor: BigInt(amountMinor) });
    return credits;
  }

  /** @param payoutIds the ids of these payouts, in their order */
  async send(
    tx: EntityManager,
    payouts: readonly GatheredPayout[],
    payoutIds: readonly string[],
  ): Promise<void> {
    await tx.query(
      `update payout_credit set payout_id = sent.payout_id
         from unnest($1::bigint[], $2::bigint[]) as sent (claim_id, payout_id)
        where payout_credit.claim_id = sent.claim_id`,
      [
        payouts.flatMap(({ claimIds }) => claimIds),
        payouts.flatMap(({ claimIds }, i) => claimIds.map(() => payoutIds[i])),
      ],
    );
  }

  async release(tx: EntityManager, claimIds: readonly string[]): Promise<void> {
    await tx.query(`update payout_credit set released_at = now() where claim_id = any($1::bigint[])`, [
      claimIds,
    ]);
  }

  /** They are due again in `seconds`, or with the next credit of their user. */
  async postpone(tx: EntityManager, claimIds: readonly string[], seconds: number): Promise<void> {
    await tx.query(
      `update payout_credit set due_at = now() + make_interval(secs => $2) where claim_id = any($1::bigint[])`,
      [claimIds, seconds],
    );
  }
}
