import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Batcher } from '../../../../libs/batching';
import { Metrics } from '../../../platform/telemetry';
import { FindingRepository } from '../finding.repository';
import { PayoutChanges } from '../payout-changes';
import type { PayoutRow } from '../payout.entity';
import { PayoutOutcomes } from '../payout-outcomes';
import { type Payment, PayoutRepository } from '../payout.repository';
import { hasEnded, isUnderWay, OUTCOMES } from '../payout-state';
import type { Verdict } from './answer';
import { type Call, SendingRepository } from './sending.repository';

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
    private readonly changes: PayoutChanges,
    private readonly findings: FindingRepository,
    private readonly sending: SendingRepository,
    @InjectDataSource() private readonly dataSource: DataSource,
    metrics: Metrics,
  ) {
    this.calls = metrics.counter({
      name: 'hongbao_payout_calls_total',
      help: 'Calls of channels by this process, by what came of them',
      labelNames: ['channel', 'result'],
    });
  }

  /** Counts from zero, so that the first call of each kind is an increase. */
  expect(channel: string): void {
    for (const result of RESULTS) this.calls.inc({ channel, result }, 0);
  }

  async apply(call: Call, verdict: Verdict): Promise<void> {
    const channel = (await this.applyTogether(call, verdict)) ?? (await this.applyAlone(call, verdict));
    this.calls.inc({ channel, result: verdict.kind === 'outcome' ? verdict.outcome : verdict.kind });
  }

  /** Returns undefined for what has to be judged alone, also after a batch that failed. */
  private async applyTogether(
    { id, no, createdAt, isProbe }: Call,
    verdict: Verdict,
  ): Promise<string | undefined> {
    if (verdict.kind !== 'outcome' || verdict.outcome !== 'paid' || isProbe) return undefined;
    return this.payments
      .submit({ id, call: no, createdAt, externalId: verdict.externalId })
      .catch(() => undefined);
  }

  /** Returns the channel of each payment that was posted. */
  private pay(payments: readonly Payment[]): Promise<(string | undefined)[]> {
    return this.dataSource.transaction(async (tx) => {
      const channels = await this.changes.payAll(tx, payments);
      for (const channelId of [...new Set(channels.values())].sort())
        await this.sending.succeeded(tx, channelId, false);
      return payments.map(({ id }) => channels.get(id));
    });
  }

  /** Returns the channel. */
  private applyAlone(call: Call, verdict: Verdict): Promise<string> {
    return this.dataSource.transaction(async (tx) => {
      const payout = await this.payouts.lock(tx, call.id);
      if (payout?.createdAt.getTime() !== call.createdAt.getTime()) throw new Error('Postgres has lost it.');
      const isLast = payout.calls === call.no;
      if (verdict.kind === 'outcome') await this.applyOutcome(tx, payout, call, verdict, isLast);
      else if (verdict.kind === 'differs') await this.find(tx, payout, 'answer-differs', verdict.said);
      if (isLast) await this.goOn(tx, call, verdict);
      await this.noteHealth(tx, payout.channelId, call, verdict);
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
    { outcome, externalId, code, action }: Verdict & { kind: 'outcome' },
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

  /** Decides the next step of a payout that has not ended. */
  private async goOn(tx: EntityManager, call: Call, verdict: Verdict): Promise<void> {
    const { id, isNew } = call;
    const payout = (await this.payouts.lock(tx, id))!;
    if (hasEnded(payout.state)) return;
    const isNotTaken = verdict.kind === 'full' || verdict.kind === 'misconfigured';
    if (payout.state === 'sending') {
      const state = isNotTaken && isNew ? 'reserved' : 'unknown';
      const reason = 'reason' in verdict ? verdict.reason : verdict.kind;
      await this.changes.change(tx, payout, { state }, { call: call.no, reason });
      if (state === 'reserved') return this.sending.forgetSent(tx, payout.channelId, call);
    }
    const isMissing = verdict.kind === 'not-found';
    if (isMissing && isUnderWay(payout.state))
      await this.find(tx, payout, `${payout.state}-but-not-found`, {});
    if (isMissing && !call.isKeyAlive) await this.find(tx, payout, 'key-expired', {});
    await this.sending.release(tx, id, isFound(call, verdict));
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

  /** Refusals and full channels say nothing against a channel: it answers. */
  private async noteHealth(
    tx: EntityManager,
    channelId: string,
    call: Call,
    verdict: Verdict,
  ): Promise<void> {
    if (verdict.kind === 'full') await this.sending.hold(tx, channelId, verdict.stops, verdict.waitSeconds);
    const isBroken = verdict.kind === 'misconfigured';
    if (isBroken || verdict.kind === 'unknown')
      await this.sending.failed(tx, channelId, isBroken, call.isProbe);
    else await this.sending.succeeded(tx, channelId, call.isProbe);
  }
}

/** Undefined when the answer leaves open whether the channel has the payment. */
function isFound({ isQuarantineOver }: Call, { kind }: Verdict): boolean | undefined {
  if (kind === 'not-found') return isQuarantineOver ? false : undefined;
  return kind === 'outcome' || kind === 'differs' ? true : undefined;
}
