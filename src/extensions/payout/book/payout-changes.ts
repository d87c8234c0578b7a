import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../../libs/invariant';
import type { Actor } from '../../../core/audit';
import { SecondPerson } from '../../../core/second-person';
import { LedgerRepository, type Transfer } from '../../../core/wallet';
import { ChannelRepository } from '../channel/channel.repository';
import { RESERVATION, type ReservationTerms } from './payout-deeds';
import type { PayoutRow } from './payout.entity';
import { type NewPayout, type Payment, type PayoutChange, PayoutRepository } from './payout.repository';
import { mayFollow } from './payout-state';

/**
 * Changes the state of payouts, and moves their money in the same transaction. Only `sending` and
 * `unknown` are set elsewhere, and move no money: by sending.repository, for a whole batch of calls.
 * A payout is locked before any account, and a wallet before what its user has asked for on a day.
 */
@Injectable()
export class PayoutChanges {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly channels: ChannelRepository,
    private readonly ledger: LedgerRepository,
    private readonly secondPerson: SecondPerson,
  ) {}

  /**
   * @param payout locked by this transaction, in a state that `change` may follow
   * @param detail further facts for the story
   * @throws insufficientFunds when it is reserved, balanceLimitReached
   */
  async change(
    tx: EntityManager,
    payout: PayoutRow,
    change: PayoutChange,
    detail: object = {},
  ): Promise<PayoutRow> {
    const { id, state } = payout;
    invariant(mayFollow(state, change.state), () => `Payout ${id} is ${state}, not to be ${change.state}.`);
    const changed = await this.payouts.change(tx, payout, change, detail);
    const transfer = await this.transferOf(tx, payout, change);
    if (transfer) await this.ledger.transfer(tx, transfer);
    if (change.state === 'refused') await this.payouts.giveDayBack(tx, payout);
    return changed;
  }

  /**
   * Begins payouts of one channel, and is the only way to begin any. What its user may not take out
   * alone waits for a second person, whoever began it: what leaves is judged, not how it was won. The
   * wallets are locked and hold enough. The account of the channel stays locked, so call it last.
   *
   * @returns the payouts, in the same order
   */
  async begin(
    tx: EntityManager,
    outboundAccountId: string,
    wishes: readonly (NewPayout & Pick<Actor, 'via'>)[],
  ): Promise<PayoutRow[]> {
    const isAlone = await this.secondPerson.takeSoloSums(
      tx,
      wishes.map(({ userId: doneBy, amountMinor }) => ({ doneBy, amountMinor })),
    );
    const payouts = await this.payouts.insert(
      tx,
      wishes.map((wish, i) => ({ ...wish, state: isAlone[i] ? 'reserved' : 'review' })),
    );
    await this.secondPerson.requestDeeds(
      tx,
      payouts.flatMap((payout, i) => (isAlone[i] ? [] : [reviewOf(payout, wishes[i]!.via)])),
    );
    const moves = payouts.filter((_, i) => isAlone[i]).map(moveOf);
    if (moves.length > 0) await this.ledger.transferAll(tx, 'payout', outboundAccountId, moves);
    return payouts;
  }

  /**
   * Posts payments. It leaves out those of payouts that another transaction holds, that a later call
   * has asked for, or whose state or name says otherwise.
   * @returns the channel of each payout that is paid now, by its id
   */
  async payAll(tx: EntityManager, payments: readonly Payment[]): Promise<Map<string, string>> {
    const paid = await this.payouts.endPaid(tx, payments);
    if (paid.length > 0) {
      const funding = await this.ledger.fundingAccount(tx);
      const outbound = new Set(paid.map(({ debitAccountId }) => debitAccountId));
      await this.ledger.lock(tx, [...outbound, funding]);
      await this.ledger.transferAll(tx, 'payout-paid', funding, paid);
    }
    return new Map(paid.map(({ sourceId, channelId }) => [sourceId, channelId]));
  }

  private async transferOf(
    tx: EntityManager,
    { id: sourceId, channelId, walletAccountId, amountMinor, state }: PayoutRow,
    change: PayoutChange,
  ): Promise<Transfer | undefined> {
    const outbound = await this.channels.outboundAccount(channelId, tx);
    const move = (kind: Transfer['kind'], debitAccountId: string, creditAccountId: string): Transfer => ({
      kind,
      sourceId,
      activityId: null,
      debitAccountId,
      creditAccountId,
      amountMinor,
    });
    switch (change.state) {
      case 'reserved':
        return state === 'review' ? move('payout', walletAccountId, outbound) : undefined;
      case 'paid':
        return move('payout-paid', outbound, await this.ledger.fundingAccount(tx));
      case 'refused':
        return state === 'review' ? undefined : move('payout-refused', outbound, walletAccountId);
      case 'returned':
        return move('payout-returned', await this.ledger.fundingAccount(tx), walletAccountId);
      default:
        return undefined;
    }
  }
}

const moveOf = ({ id: sourceId, walletAccountId: debitAccountId, amountMinor }: PayoutRow) => ({
  sourceId,
  debitAccountId,
  amountMinor,
});

/** The user counts as the person who asks, also for what a rain pays out. */
function reviewOf({ id, channelId, userId, claims, amountMinor }: PayoutRow, via: string | undefined) {
  const terms: ReservationTerms = { channelId, userId, claims: claims ?? undefined };
  const wish = { action: RESERVATION.action, subjectId: id, sourceId: id, amountMinor, terms };
  return { ...wish, askedBy: { userId, via } };
}
