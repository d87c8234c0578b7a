import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../../../core/audit';
import { Currencies, type KnownCurrency } from '../../../core/currency';
import { SecondPerson } from '../../../core/second-person';
import { LedgerRepository } from '../../../core/wallet';
import type { NewPayout } from './entries';
import { RESERVATION, type ReservationTerms } from './payout-deeds';
import type { PayoutRow } from './payout.entity';
import { StateRepository } from './state.repository';

/** Begins payouts, and is the only way to begin any. */
@Injectable()
export class NewPayouts {
  constructor(
    private readonly states: StateRepository,
    private readonly ledger: LedgerRepository,
    private readonly secondPerson: SecondPerson,
    private readonly currencies: Currencies,
  ) {}

  /** Returns the users of whom payouts may be begun together; another deed of the others is under way. */
  takeTurns(tx: EntityManager, userIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.secondPerson.takeTurns(tx, userIds);
  }

  /**
   * Begins payouts of one channel. A payout that its user may not take out alone waits for a second person,
   * even if someone else began it: what counts is the money that leaves, not how it was won. The wallets are locked and
   * hold enough. The account of the channel stays locked, so call it last.
   *
   * @returns the payouts, in the same order
   */
  async begin(
    tx: EntityManager,
    outboundAccountId: string,
    wishes: readonly (NewPayout & Pick<Actor, 'via'>)[],
  ): Promise<PayoutRow[]> {
    const currency = await this.currencies.ofAccount(outboundAccountId);
    const isAlone = await this.secondPerson.takeSoloSums(
      tx,
      wishes.map(({ userId: doneBy, amountMinor }) => ({ doneBy, currency, amountMinor })),
    );
    const payouts = await this.states.insert(
      tx,
      wishes.map((wish, i) => ({ ...wish, state: isAlone[i] ? 'reserved' : 'review' })),
    );
    await this.secondPerson.requestDeeds(
      tx,
      payouts.flatMap((payout, i) => (isAlone[i] ? [] : [reviewOf(payout, currency, wishes[i]!.via)])),
    );
    const moves = payouts.filter((_, i) => isAlone[i]).map(moveOf);
    if (moves.length > 0) await this.ledger.transferAll(tx, 'payout', outboundAccountId, moves);
    return payouts;
  }
}

const moveOf = ({ id: sourceId, walletAccountId: debitAccountId, amountMinor }: PayoutRow) => ({
  sourceId,
  debitAccountId,
  amountMinor,
});

/** The user counts as the person who asks, even for money that a rain pays out. */
function reviewOf(
  { id, channelId, userId, claims, amountMinor }: PayoutRow,
  currency: KnownCurrency,
  via: string | undefined,
) {
  const terms: ReservationTerms = { channelId, userId, claims: claims ?? undefined };
  const wish = { action: RESERVATION.action, subjectId: id, sourceId: id, currency, amountMinor, terms };
  return { ...wish, askedBy: { userId, via } };
}
