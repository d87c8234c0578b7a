import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Currencies } from '../../../core/currency';
import { FindingRepository } from '../channel/finding.repository';
import type { Payment } from './entries';
import { PayoutChanges } from './payout-changes';
import type { OutcomeBody, OutcomeResultDto } from './outcome.dto';
import type { PayoutRow } from './payout.entity';
import { PayoutRepository } from './payout.repository';
import { hasEnded, isUnderWay, mayFollow, type Outcome } from './payout-state';

/** Judges what a channel says about a payout, in an answer or a report, by the payout's state. */
@Injectable()
export class PayoutOutcomes {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly findings: FindingRepository,
    private readonly changes: PayoutChanges,
    private readonly currencies: Currencies,
  ) {}

  /**
   * Applies what a channel says outside any call. While a payment is being asked for, money that it may
   * still take is not given back.
   * @param payout locked, and not under review
   * @param by who says it, for the story
   */
  async report(
    tx: EntityManager,
    payout: PayoutRow,
    report: OutcomeBody,
    by: object,
  ): Promise<OutcomeResultDto> {
    const { id, outcome } = report;
    if (payout.state === 'sending' && outcome === 'refused')
      return { id, result: 'unchanged', state: 'sending' };
    return this.apply(tx, payout, report, by);
  }

  /** Applies an answer or a report, with the parameters of `report`. */
  async apply(
    tx: EntityManager,
    payout: PayoutRow,
    report: OutcomeBody,
    by: object,
  ): Promise<OutcomeResultDto> {
    const { id, outcome, ...facts } = report;
    if (!isSameName(payout, report)) return this.contradict(tx, payout, report, by);
    if (isOldNews(payout, outcome)) {
      await this.learnName(tx, payout, report, by);
      await this.learnAction(tx, payout, report);
      return { id, result: 'unchanged', state: payout.state };
    }
    if (!mayFollow(payout.state, outcome)) return this.contradict(tx, payout, report, by);
    const { state } = await this.changes.change(
      tx,
      payout,
      { ...facts, state: outcome },
      { ...facts, ...by },
    );
    return { id, result: 'applied', state };
  }

  /**
   * Posts payments together: plain answers to the last call of their payouts. It leaves out those that
   * have to be judged alone.
   * @returns the channel of each payout that is paid now, by its id
   */
  payAll(tx: EntityManager, payments: readonly Payment[]): Promise<Map<string, string>> {
    return this.changes.payAll(tx, payments);
  }

  /** Applies a statement older than the last known one: it may name the payment, but changes no state. */
  async applyLate(tx: EntityManager, payout: PayoutRow, report: OutcomeBody, by: object): Promise<void> {
    if (isSameName(payout, report)) await this.learnName(tx, payout, report, by);
    else await this.contradict(tx, payout, report, by);
  }

  /** A contradiction that is in the story was found before, and may have been dealt with. */
  private async contradict(
    tx: EntityManager,
    payout: PayoutRow,
    { id, outcome, ...facts }: OutcomeBody,
    by: object,
  ): Promise<OutcomeResultDto> {
    const { channelId, state, walletAccountId, amountMinor } = payout;
    if (await this.payouts.tell(tx, payout, { reported: outcome, ...facts }, by)) {
      const currency = await this.currencies.ofAccount(walletAccountId);
      const detail = { ...facts, amount: currency.format(amountMinor) };
      await this.findings.find(tx, { channelId, payoutId: id, kind: `${state}-but-${outcome}`, detail });
    }
    return { id, result: 'finding', state };
  }

  /**
   * The user's required action may change while the channel waits, as when a link expires and another
   * replaces it.
   */
  private async learnAction(
    tx: EntityManager,
    { id, state, action: known }: PayoutRow,
    { outcome, action }: OutcomeBody,
  ): Promise<void> {
    if (state !== 'needs-user' || outcome !== 'needs-user' || action === undefined || action === known)
      return;
    await this.payouts.instruct(tx, id, action);
  }

  /** A second payment is recognised by its name, so the first needs a name of its own. */
  private async learnName(
    tx: EntityManager,
    payout: PayoutRow,
    { externalId, outcome: reported }: OutcomeBody,
    by: object,
  ): Promise<void> {
    const { id, state } = payout;
    if (externalId === undefined || payout.externalId !== null || state === 'refused' || state === 'returned')
      return;
    await this.payouts.name(tx, id, externalId);
    await this.payouts.tell(tx, payout, { reported, externalId }, by);
  }
}

/** A payment under another name is a second payment. */
const isSameName = ({ externalId }: PayoutRow, report: OutcomeBody): boolean =>
  report.externalId === undefined || externalId === null || externalId === report.externalId;

/** Reports may come late and in any order, so an earlier state does not contradict. */
function isOldNews({ state }: PayoutRow, outcome: Outcome): boolean {
  if (isUnderWay(outcome)) return state === outcome || hasEnded(state);
  return outcome === state || (outcome === 'paid' && state === 'returned');
}
