import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Problem } from '../../../../libs/problem';
import type { IdempotentRequest } from '../../../platform/http';
import { AuditLog, type Deed } from '../../../core/audit';
import { Currencies, type KnownCurrency } from '../../../core/currency';
import { insufficientFunds, LedgerRepository, type LockedWallet, walletFrozen } from '../../../core/wallet';
import { DAILY_MAX, dayMaxMinor, OPEN_MAX, roomOf } from '../book/allowance';
import type { ChannelProfile } from '../channel/channel.entity';
import { ChannelRepository } from '../channel/channel.repository';
import { NewPayouts } from '../book/new-payouts';
import { type PayoutDto, toPayoutDto } from '../book/payout.dto';
import type { PayoutRow } from '../book/payout.entity';
import { aboveLargest, belowSmallest, payoutLimitReached } from './ask.error';
import { PayoutRepository, type TakenOut } from '../book/payout.repository';
import { UsableChannels } from '../channel/usable-channels';

/** A user's request to take out an amount through a channel. */
export interface Ask {
  readonly request: IdempotentRequest;
  readonly channelId: string;
  readonly currency: KnownCurrency;
  readonly amountMinor: bigint;
}

/** Judges requests for payouts, and begins the payouts that are granted. */
@Injectable()
export class AskedPayouts {
  constructor(
    private readonly usable: UsableChannels,
    private readonly channels: ChannelRepository,
    private readonly payouts: PayoutRepository,
    private readonly newPayouts: NewPayouts,
    private readonly ledger: LedgerRepository,
    private readonly audit: AuditLog,
    private readonly currencies: Currencies,
  ) {}

  /**
   * An amount that one person may not move alone stays in the wallet until a second one approves it. A
   * refusal changes nothing.
   *
   * @param asks through this channel, no two of the same user
   * @param waits for wallets that others have locked, and for other deeds of the same people
   * @returns a payout or a refusal for each, in their order; undefined where it would have to wait
   *   (channelNotFound, channelPaused, belowSmallest, aboveLargest, walletFrozen, payoutLimitReached,
   *   insufficientFunds)
   */
  async begin(
    tx: EntityManager,
    channelId: string,
    asks: readonly Ask[],
    waits: boolean,
  ): Promise<(PayoutDto | Problem | undefined)[]> {
    const channel = await this.usable.lock(tx, channelId).catch(toRefusal);
    if (channel instanceof Problem) return asks.map(() => channel);
    const users = asks.map(({ request }) => request.caller.userId);
    const currency = await this.currencies.ofAccount(channel.outboundAccountId);
    const wallets = await this.ledger.lockWallets(tx, users, currency, waits);
    const judged = waits ? new Set(users) : await this.newPayouts.takeTurns(tx, [...wallets.keys()]);
    const day = await this.channels.today(tx, channel.profile.timeZone);
    const taken = await this.payouts.takenOut(tx, channelId, currency, day, users);
    const refusals = asks.map((ask, i) =>
      this.refusalOf(ask, currency, channel.profile, wallets.get(users[i]!), taken.get(users[i]!)!),
    );
    const isJudged = (i: number) => judged.has(users[i]!);
    const granted = asks.filter((_, i) => isJudged(i) && !refusals[i]);
    const payouts = await this.write(tx, channel.outboundAccountId, day, granted, wallets);
    return asks.map((ask, i) => (isJudged(i) ? (refusals[i] ?? payouts.get(ask)) : undefined));
  }

  /** The wallets are locked, so two requests of one user cannot both find the last room. */
  private refusalOf(
    ask: Ask,
    currency: KnownCurrency,
    profile: ChannelProfile,
    wallet: LockedWallet | undefined,
    taken: TakenOut,
  ): Problem | undefined {
    const another = refusalOf(() =>
      this.currencies.requireNamed({ currency: ask.currency.code }, currency, 'channel'),
    );
    if (another) return another;
    const { amountMinor } = ask;
    const { smallest, largest, perDay, perUserPerDay } = profile;
    const isAbove = (limit: string | undefined) => limit !== undefined && amountMinor > currency.parse(limit);
    const dayMax = dayMaxMinor(perUserPerDay, currency);
    if (amountMinor < currency.parse(smallest)) return belowSmallest(`The least is ${smallest}.`);
    for (const limit of [largest, perDay]) if (isAbove(limit)) return aboveLargest(`The most is ${limit}.`);
    if (wallet?.isFrozen) return walletFrozen(`The wallet of ${wallet.ownerId} is frozen.`);
    if (taken.open >= OPEN_MAX)
      return payoutLimitReached(`${OPEN_MAX} payouts of ${currency.code} are on their way already.`);
    if (taken.amountMinor + amountMinor > dayMax)
      return payoutLimitReached(
        `A user may take out at most ${currency.format(dayMax)} a day, in at most ${DAILY_MAX} payouts.`,
      );
    if (roomOf(taken) === 0) return payoutLimitReached(`A user may have at most ${DAILY_MAX} payouts a day.`);
    if (!wallet || wallet.balanceMinor < amountMinor)
      return insufficientFunds('The paying account holds less than the amount.');
    return undefined;
  }

  private async write(
    tx: EntityManager,
    outboundAccountId: string,
    day: string,
    asks: readonly Ask[],
    wallets: ReadonlyMap<string, LockedWallet>,
  ): Promise<Map<Ask, PayoutDto>> {
    if (asks.length === 0) return new Map();
    const rows = await this.newPayouts.begin(
      tx,
      outboundAccountId,
      asks.map(({ request: { caller }, channelId, amountMinor }) => ({
        channelId,
        amountMinor,
        day,
        userId: caller.userId,
        via: caller.via,
        walletAccountId: wallets.get(caller.userId)!.id,
      })),
    );
    await this.audit.recordAll(
      tx,
      rows.map((row, i) => ({ actor: asks[i]!.request.caller, deed: this.deedOf(row, asks[i]!.currency) })),
    );
    for (const [i, { state }] of rows.entries()) if (state === 'review') asks[i]!.request.accept();
    return new Map(rows.map((row, i) => [asks[i]!, toPayoutDto(row, asks[i]!.currency)]));
  }

  private deedOf({ id, channelId, amountMinor }: PayoutRow, currency: KnownCurrency): Deed {
    const amount = currency.format(amountMinor);
    const detail = { channelId, amount, currency: this.currencies.unlessDefault(currency) };
    return { action: 'payout.ask', id, detail };
  }
}

function refusalOf(judge: () => void): Problem | undefined {
  try {
    judge();
    return undefined;
  } catch (error) {
    return toRefusal(error);
  }
}

/** A refusal is the outcome of one request, and does not end the transaction of many. */
function toRefusal(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
