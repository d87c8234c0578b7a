import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Metrics } from '../../../platform/telemetry';
import { FindingRepository } from '../finding.repository';
import { PayoutChanges } from '../payout-changes';
import type { PayoutRow } from '../payout.entity';
import { PayoutOutcomes } from '../payout-outcomes';
import { PayoutRepository } from '../payout.repository';
import { hasEnded } from '../payout-state';
import type { Verdict } from './answer';
import { type Call, SendingRepository } from './sending.repository';

/** Applies what a call has shown. Late answers are judged by the state of the payout, not by their order. */
@Injectable()
export class Answers {
  private readonly calls;

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

  async apply(call: Call, verdict: Verdict): Promise<void> {
    const channel = await this.dataSource.transaction(async (tx) => {
      const payout = (await this.payouts.lock(tx, call.id))!;
      const isLast = payout.calls === call.no;
      if (verdict.kind === 'outcome') await this.applyOutcome(tx, payout, call, verdict, isLast);
      else if (verdict.kind === 'differs') await this.find(tx, payout, 'answer-differs', verdict.said);
      if (isLast) await this.goOn(tx, call, verdict);
      await this.noteHealth(tx, payout.channelId, call, verdict);
      return payout.channelId;
    });
    this.calls.inc({ channel, result: verdict.kind === 'outcome' ? verdict.outcome : verdict.kind });
  }

  /** A refusal that comes late gives nothing back while a later call may still be paid. */
  private async applyOutcome(
    tx: EntityManager,
    payout: PayoutRow,
    { no }: Call,
    { outcome, externalId, code, action }: Verdict & { kind: 'outcome' },
    isLast: boolean,
  ): Promise<void> {
    if (!isLast && payout.state === 'sending' && outcome !== 'paid') return;
    const by = { call: no };
    const report = { id: payout.id, outcome, externalId, code, action };
    if (outcome === 'returned' && !hasEnded(payout.state)) {
      await this.outcomes.apply(tx, payout, { ...report, outcome: 'paid' }, by);
      await this.outcomes.apply(tx, (await this.payouts.lock(tx, payout.id))!, report, by);
    } else await this.outcomes.apply(tx, payout, report, by);
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
      if (state === 'reserved') return this.sending.forgetSent(tx, payout.channelId, id, call.amountMinor);
    }
    const isMissing = verdict.kind === 'not-found';
    if (isMissing && (payout.state === 'processing' || payout.state === 'needs-user'))
      await this.find(tx, payout, `${payout.state}-but-not-found`, {});
    if (isMissing && !call.isKeyAlive) await this.find(tx, payout, 'key-expired', {});
    await this.sending.release(tx, id, isFound(call, verdict));
  }

  private find(tx: EntityManager, { id, channelId }: PayoutRow, kind: string, detail: object): Promise<void> {
    return this.findings.find(tx, { channelId, payoutId: id, kind, detail });
  }

  /** Refusals and full channels say nothing against a channel: it answers. */
  private async noteHealth(
    tx: EntityManager,
    channelId: string,
    call: Call,
    verdict: Verdict,
  ): Promise<void> {
    if (verdict.kind === 'full') await this.sending.hold(tx, channelId, verdict.waitSeconds);
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
