import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Currencies } from '../../../core/currency';
import { LedgerRepository, type Transfer } from '../../../core/wallet';
import { ChannelRepository } from '../channel/channel.repository';
import type { Payment, PayoutChange } from './entries';
import type { PayoutRow } from './payout.entity';
import { StateRepository } from './state.repository';

/**
 * Changes the state of payouts, and moves their money in the same transaction. A payout is locked before any
 * account, and a wallet before what its user has asked for on a day. Other rooms report what channels and
 * people say, and let PayoutOutcomes, PayoutDecisions and CallRecords change the payout.
 */
@Injectable()
export class PayoutChanges {
  constructor(
    private readonly states: StateRepository,
    private readonly channels: ChannelRepository,
    private readonly ledger: LedgerRepository,
    private readonly currencies: Currencies,
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
    const changed = await this.states.change(tx, payout, change, detail);
    const transfer = await this.transferOf(tx, payout, change);
    if (transfer) await this.ledger.transfer(tx, transfer);
    if (change.state === 'refused') await this.states.giveDayBack(tx, payout);
    return changed;
  }

  /**
   * Posts payments. It leaves out those of payouts that another transaction holds, that a later call
   * has asked for, or whose state or name says otherwise.
   * @returns the channel of each payout that is paid now, by its id
   */
  async payAll(tx: EntityManager, payments: readonly Payment[]): Promise<Map<string, string>> {
    const paid = await this.states.endPaid(tx, payments);
    const byFunding = new Map<string, typeof paid>();
    const outbound = new Set(paid.map(({ debitAccountId }) => debitAccountId));
    for (const accountId of outbound) {
      const funding = await this.fundingOf(tx, accountId);
      const payments = paid.filter(({ debitAccountId }) => debitAccountId === accountId);
      byFunding.set(funding, [...(byFunding.get(funding) ?? []), ...payments]);
    }
    if (paid.length > 0) await this.ledger.lock(tx, [...outbound, ...byFunding.keys()]);
    for (const [funding, payments] of byFunding)
      await this.ledger.transferAll(tx, 'payout-paid', funding, payments);
    return new Map(paid.map(({ sourceId, channelId }) => [sourceId, channelId]));
  }

  /** The outside world, for the currency of an account. */
  private async fundingOf(tx: EntityManager, accountId: string): Promise<string> {
    return this.ledger.fundingAccount(tx, await this.currencies.ofAccount(accountId));
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
        return move('payout-paid', outbound, await this.fundingOf(tx, outbound));
      case 'refused':
        return state === 'review' ? undefined : move('payout-refused', outbound, walletAccountId);
      case 'returned':
        return move('payout-returned', await this.fundingOf(tx, walletAccountId), walletAccountId);
      default:
        return undefined;
    }
  }
}
