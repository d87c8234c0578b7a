import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Batcher } from '../../../../libs/batching';
import { Metrics } from '../../../platform/telemetry';
import { FindingRepository } from '../channel/finding.repository';
import { CallRecords } from '../book/call-records';
import type { Payment } from '../book/entries';
import type { PayoutRow } from '../book/payout.entity';
import { PayoutOutcomes } from '../book/payout-outcomes';
import { PayoutRepository } from '../book/payout.repository';
import { hasEnded, isUnderWay, OUTCOMES } from '../book/payout-state';
import type { CallResult } from './protocol';
import { type Call, DueRepository } from './due.repository';
import { PaceRepository } from './pace.repository';

const PAYMENTS_AT_ONCE = 500;

const RESULTS = [...OUTCOMES, 'full', 'misconfigured', 'not-found', 'differs', 'unknown'] as const;

/** Applies what a call has shown. Late answers are judged by the state of the payout, not by their order. */
@Injectable()
export class Answers {
  private readonly calls;

  /** All payments debit one outbound account, so those that arrive during a commit share the next one. */
  private readonly payments = new Batcher<Payment, string | undefined>({
    run: (payments) => this.pay(payments),
    sizeMax: PAYMENTS_AT_ONCE,
    concurrencyMax: 1,
    lingerMs: 10,
  });

  constructor(
    private readonly payouts: PayoutRepository,
    private readonly outcomes: PayoutOutcomes,
    private readonly records: CallRecords,
    private readonly findings: FindingRepository,
    private readonly due: DueRepository,
    private readonly paces: PaceRepository,
    @InjectDataSource() private readonly dataSource: DataSource,
    metrics: Metrics,
  ) {
    this.calls = metrics.counter({
      name: 'hongbao_payout_calls_total',
      help: 'Calls of channels by this process, by their result',
      labelNames: ['channel', 'result'],
    });
  }

  /** Counts from zero, so that the first call of each kind is an increase. */
  expect(channel: string): void {
    for (const result of RESULTS) this.calls.inc({ channel, result }, 0);
  }

  async apply(call: Call, result: CallResult): Promise<void> {
    const channel = (await this.applyTogether(call, result)) ?? (await this.applyAlone(call, result));
    this.calls.inc({ channel, result: result.kind === 'outcome' ? result.outcome : result.kind });
  }

  /** Returns undefined for what has to be judged alone, even after a batch that failed. */
  private async applyTogether(
    { id, no, createdAt, isProbe }: Call,
    result: CallResult,
  ): Promise<string | undefined> {
    if (result.kind !== 'outcome' || result.outcome !== 'paid' || isProbe) return undefined;
    return this.payments
      .submit({ id, call: no, createdAt, externalId: result.externalId })
      .catch(() => undefined);
  }

  /** Returns the channel of each payment that was posted. */
  private pay(payments: readonly Payment[]): Promise<(string | undefined)[]> {
    return this.dataSource.transaction(async (tx) => {
      const channels = await this.outcomes.payAll(tx, payments);
      for (const channelId of [...new Set(channels.values())].sort())
        await this.paces.succeeded(tx, channelId, true);
      return payments.map(({ id }) => channels.get(id));
    });
  }

  /** Returns the channel. */
  private applyAlone(call: Call, result: CallResult): Promise<string> {
    return this.dataSource.transaction(async (tx) => {
      const payout = await this.payouts.lock(tx, call.id);
      if (payout?.createdAt.getTime() !== call.createdAt.getTime()) throw new Error('Postgres has lost it.');
      const isLast = payout.calls === call.no;
      if (result.kind === 'outcome') await this.applyOutcome(tx, payout, call, result, isLast);
      else if (result.kind === 'differs') await this.find(tx, payout, 'answer-differs', result.said);
      const isFirst = isLast && (await this.goOn(tx, call, result));
      await this.noteHealth(tx, payout.channelId, call, result, isFirst);
      return payout.channelId;
    });
  }

  /**
   * A refusal that comes late gives nothing back: a later call may still be paid. Late answers do not
   * say whether the channel waits for the user now.
   */
  private async applyOutcome(
    tx: EntityManager,
    payout: PayoutRow,
    { no }: Call,
    { outcome, externalId, code, action }: CallResult & { kind: 'outcome' },
    isLast: boolean,
  ): Promise<void> {
    const isOpen = !hasEnded(payout.state);
    const isUncertain = outcome === 'refused' || (payout.state === 'sending' && outcome !== 'paid');
    if (!isLast && isOpen && isUncertain) return;
    const by = { call: no };
    const report = { id: payout.id, outcome, externalId, code, action };
    if (outcome === 'returned' && isOpen) {
      await this.outcomes.apply(tx, payout, { ...report, outcome: 'paid' }, by);
      await this.outcomes.apply(tx, (await this.payouts.lock(tx, payout.id))!, report, by);
    } else if (!isLast && isUnderWay(outcome) && isUnderWay(payout.state))
      await this.outcomes.applyLate(tx, payout, report, by);
    else await this.outcomes.apply(tx, payout, report, by);
  }

  /**
   * Decides the next step of a payout that has not ended.
   * @returns true if its user is in trouble from now on
   */
  private async goOn(tx: EntityManager, call: Call, result: CallResult): Promise<boolean> {
    const payout = (await this.payouts.lock(tx, call.id))!;
    if (hasEnded(payout.state)) return false;
    const isForgotten = payout.state === 'sending' && (await this.endSending(tx, payout, call, result));
    if (isSetback(result))
      return this.due.setBack(tx, payout, result.kind === 'full' ? result.waitSeconds : 0);
    const isMissing = result.kind === 'not-found';
    if (isMissing && isUnderWay(payout.state))
      await this.find(tx, payout, `${payout.state}-but-not-found`, {});
    if (isMissing && !call.isKeyAlive) await this.find(tx, payout, 'key-expired', {});
    if (!isForgotten) await this.due.release(tx, payout.id, isFound(call, result));
    return false;
  }

  /**
   * Only a first payment may be forgotten: a former call may still lead to a payment.
   * @returns true if the channel has certainly not taken it
   */
  private async endSending(
    tx: EntityManager,
    payout: PayoutRow,
    call: Call,
    result: CallResult,
  ): Promise<boolean> {
    const isNotTaken = result.kind === 'full' || result.kind === 'misconfigured';
    const isForgotten = isNotTaken && call.isNew;
    const detail = { call: call.no, reason: 'reason' in result ? result.reason : result.kind };
    if (!isForgotten) await this.records.leaveUnknown(tx, payout, detail);
    else {
      await this.records.forget(tx, payout, detail);
      await this.paces.forgetSent(tx, payout.channelId, call);
    }
    return isForgotten;
  }

  /** A payout that has ended is not asked for again: the answer was on its way. */
  private find(
    tx: EntityManager,
    { id, channelId, state }: PayoutRow,
    kind: string,
    detail: object,
  ): Promise<void> {
    const finding = { channelId, payoutId: id, kind, detail };
    return hasEnded(state) ? this.findings.findOnce(tx, finding) : this.findings.find(tx, finding);
  }

  /**
   * Refusals, full channels and unlisted codes do not count against a channel: it answers. A user who was in
   * trouble before says nothing either.
   */
  private async noteHealth(
    tx: EntityManager,
    channelId: string,
    { isProbe, method, at }: Call,
    result: CallResult,
    isFirst: boolean,
  ): Promise<void> {
    if (result.kind === 'unknown' && result.isOurs) return;
    if (result.kind === 'full' && isFirst) await this.paces.couldNotTake(tx, channelId, at, result);
    const isAway = result.kind === 'misconfigured' && result.isAway === true;
    if (result.kind === 'misconfigured' || (result.kind === 'unknown' && !result.isWell))
      await this.paces.failed(tx, channelId, { opens: isAway, counts: isAway || isFirst, isProbe });
    else if (isProbe) await this.paces.recovered(tx, channelId);
    else await this.paces.succeeded(tx, channelId, method === 'PUT' && isTaken(result));
  }
}

/** The call has not advanced the payout. If the channel cannot be reached, its user is not in trouble. */
const isSetback = (result: CallResult): boolean =>
  (result.kind === 'unknown' && !result.isOurs) ||
  result.kind === 'full' ||
  (result.kind === 'misconfigured' && !result.isAway);

const isTaken = (result: CallResult): boolean => result.kind === 'outcome' && result.outcome !== 'refused';

/** Undefined when the answer leaves open whether the channel has the payment. */
function isFound({ isQuarantineOver }: Call, { kind }: CallResult): boolean | undefined {
  if (kind === 'not-found') return isQuarantineOver ? false : undefined;
  return kind === 'outcome' || kind === 'differs' ? true : undefined;
}
