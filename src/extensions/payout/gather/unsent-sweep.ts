import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { failpoint } from '../../../../libs/failpoint';
import type { Currency } from '../../../../libs/money';
import { Currencies } from '../../../core/currency';
import { Repeats } from '../../../platform/schedule';
import { dayMaxMinor, roomOf } from '../book/allowance';
import type { ChannelProfile, ChannelRow } from '../channel/channel.entity';
import { ChannelRepository } from '../channel/channel.repository';
import { gather, type GatheredPayout } from './gathering';
import type { NewPayout } from '../book/entries';
import { NewPayouts } from '../book/new-payouts';
import { PayoutRepository, type TakenOut } from '../book/payout.repository';
import { type DueWallet, UnsentRepository } from './unsent.repository';
import { CREDIT_SECONDS_MAX } from '../channel/waits';

const LOOK_EVERY_MS = 200;
const CREDITS_AT_ONCE = 500;
const STEPS_MAX = 40;

/**
 * Makes payouts of the credits of activities with a channel. Postgres is the record: a step is one
 * transaction that locks wallets, begins their payouts, and marks their credits. A crash leaves all of a step
 * or nothing, and two sweeps never look at the same wallet at once. Users of whom another deed is under way are left
 * for later, so nobody waits for them.
 */
@Injectable()
export class UnsentSweep {
  constructor(
    private readonly unsent: UnsentRepository,
    private readonly payouts: PayoutRepository,
    private readonly channels: ChannelRepository,
    private readonly newPayouts: NewPayouts,
    private readonly currencies: Currencies,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  @Repeats('UnsentSweep', LOOK_EVERY_MS, { logs: 'changes' })
  async sweep(stopping: AbortSignal): Promise<void> {
    let channels = await this.unsent.channels();
    const faults: unknown[] = [];
    for (let step = 0; step < STEPS_MAX && channels.length > 0; step += 1) {
      const unfinished: string[] = [];
      for (const id of channels) {
        if (stopping.aborted) return;
        const stepping = this.dataSource.transaction((tx) => this.step(tx, id));
        if (await stepping.catch((fault: unknown) => void faults.push(fault))) unfinished.push(id);
      }
      channels = unfinished;
    }
    // The credits of other channels do not wait for a channel whose steps fail.
    if (faults.length > 0) throw faults[0];
  }

  /** Returns whether there may be more. Credits of a deleted channel are released. */
  private async step(tx: EntityManager, channelId: string): Promise<boolean> {
    const channel = await this.channels.lock(tx, channelId, 'for_key_share');
    if (channel?.isPaused) return false;
    const gatherSeconds = channel?.profile.gatherSeconds ?? 0;
    const due = await this.unsent.lockDue(tx, channelId, gatherSeconds, CREDITS_AT_ONCE);
    const turns = await this.newPayouts.takeTurns(
      tx,
      due.map(({ userId }) => userId),
    );
    const wallets = due.filter(({ userId }) => turns.has(userId));
    if (wallets.length === 0) return false;
    if (channel) await this.pay(tx, channel, wallets);
    else await this.unsent.release(tx, wallets.flatMap(claimsOf));
    return true;
  }

  private async pay(tx: EntityManager, channel: ChannelRow, wallets: readonly DueWallet[]): Promise<void> {
    const { id, profile, outboundAccountId } = channel;
    const currency = await this.currencies.ofAccount(outboundAccountId);
    const day = await this.channels.today(tx, profile.timeZone);
    const users = wallets.map(({ userId }) => userId);
    const taken = await this.payouts.takenOut(tx, id, currency, day, users);
    const plans = wallets.map((wallet) => planOf(wallet, profile, currency, taken.get(wallet.userId)!));
    const payouts = plans.flatMap((plan) => plan.payouts);
    const released = plans.flatMap((plan) => plan.released);
    const ended = new Set([...released, ...payouts.flatMap(({ claimIds }) => claimIds)]);
    const held = wallets.flatMap(claimsOf).filter((claimId) => !ended.has(claimId));
    await this.unsent.release(tx, released);
    await this.unsent.postpone(tx, held, CREDIT_SECONDS_MAX - (profile.gatherSeconds ?? 0));
    if (payouts.length === 0) return;
    const wishes = payouts.map(({ claimIds, ...payout }) => ({
      ...payout,
      channelId: id,
      day,
      claims: claimIds.length,
    }));
    const begun = await this.newPayouts.begin(tx, channel.outboundAccountId, wishes);
    await failpoint('unsent.after-reserve');
    await this.unsent.send(
      tx,
      payouts,
      begun.map((payout) => payout.id),
    );
    await failpoint('unsent.before-commit');
  }
}

function planOf(wallet: DueWallet, profile: ChannelProfile, currency: Currency, taken: TakenOut): Plan {
  if (wallet.isFrozen) return { payouts: [], released: [] };
  const { userId, id: walletAccountId } = wallet;
  const { smallest, largest, perUserPerDay, perDay } = profile;
  const { payouts, released } = gather(wallet.credits, wallet.balanceMinor, {
    smallestMinor: currency.parse(smallest),
    largestMinor: leastOf([largest, perUserPerDay, perDay], currency),
    payoutsMax: roomOf(taken),
    roomMinor: dayMaxMinor(perUserPerDay, currency) - taken.amountMinor,
  });
  return { payouts: payouts.map((payout) => ({ userId, walletAccountId, ...payout })), released };
}

function leastOf(limits: readonly (string | undefined)[], currency: Currency): bigint | undefined {
  const minors = limits.flatMap((limit) => (limit === undefined ? [] : [currency.parse(limit)]));
  return minors.sort((a, b) => (a < b ? -1 : 1))[0];
}

interface Plan {
  readonly payouts: readonly (GatheredPayout & Pick<NewPayout, 'userId' | 'walletAccountId'>)[];
  readonly released: readonly string[];
}

const claimsOf = ({ credits }: DueWallet): string[] => credits.map(({ claimId }) => claimId);
