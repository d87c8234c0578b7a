import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Currency } from '../../platform/config';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { type ApprovalDto, ApprovalRequests } from '../approval';
import { FindingRepository } from './finding.repository';
import { PayoutChanges } from './payout-changes';
import type { OutcomeBody, OutcomeResultDto, OutcomeResultsDto, ResolvePayoutBody } from './payout.dto';
import type { PayoutRow } from './payout.entity';
import { payoutNotFound, payoutNotOpen } from './payout.error';
import { PayoutRepository } from './payout.repository';
import { hasEnded, mayFollow, type Outcome } from './payout-state';

/** A channel reports the end of a payout, or two people have found it out. */
@Injectable()
export class OutcomeService {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly findings: FindingRepository,
    private readonly changes: PayoutChanges,
    private readonly approvals: ApprovalRequests,
    private readonly idempotency: IdempotencyService,
    private readonly currency: Currency,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * Applies each outcome in a transaction of its own. A repeated report changes nothing; one that
   * contradicts the state of its payout becomes a finding.
   */
  async report(reporter: Caller, outcomes: readonly OutcomeBody[]): Promise<OutcomeResultsDto> {
    const results: OutcomeResultDto[] = [];
    for (const outcome of outcomes)
      results.push(await this.dataSource.transaction((tx) => this.apply(tx, reporter, outcome)));
    return { results };
  }

  /**
   * Requests that a second person confirms how a payout ended.
   * @throws payoutNotFound, payoutNotOpen
   */
  askToResolve(request: IdempotentRequest, id: string, body: ResolvePayoutBody): Promise<ApprovalDto> {
    return this.idempotency.once(request, async (tx) => {
      const { amountMinor, channelId, userId } = await this.lockOpen(tx, id);
      return this.approvals.requestApproval(tx, request, {
        ...({ action: 'payout.resolve', subjectId: id, sourceId: id, amountMinor } as const),
        terms: { ...body, channelId, userId },
      });
    });
  }

  /**
   * Ends a payout as two people have decided.
   * @throws payoutNotFound, payoutNotOpen, balanceLimitReached
   */
  async resolve(
    tx: EntityManager,
    approver: Caller,
    id: string,
    { outcome, evidence, externalId }: ResolvePayoutBody,
  ): Promise<void> {
    const payout = await this.lockOpen(tx, id);
    const change = { state: outcome, externalId, code: outcome === 'refused' ? 'resolved' : undefined };
    await this.changes.change(tx, payout, change, { evidence, approvedBy: approver.userId });
  }

  private async apply(tx: EntityManager, reporter: Caller, report: OutcomeBody): Promise<OutcomeResultDto> {
    const { id, outcome, ...facts } = report;
    const payout = await this.payouts.lock(tx, id);
    if (!payout || payout.state === 'review') return { id, result: 'not-found', state: null };
    const by = { reportedBy: reporter.userId };
    if (!isSameName(payout, report)) return this.contradict(tx, payout, report, by);
    if (isOldNews(payout, outcome)) {
      await this.learnName(tx, payout, report, by);
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

  /** A contradiction that is in the story was found before, and may have been dealt with. */
  private async contradict(
    tx: EntityManager,
    payout: PayoutRow,
    { id, outcome, ...facts }: OutcomeBody,
    by: object,
  ): Promise<OutcomeResultDto> {
    const { channelId, state, amountMinor } = payout;
    if (await this.payouts.tell(tx, payout, { reported: outcome, ...facts }, by)) {
      const detail = { ...facts, amount: this.currency.format(amountMinor) };
      await this.findings.find(tx, { channelId, payoutId: id, kind: `${state}-but-${outcome}`, detail });
    }
    return { id, result: 'finding', state };
  }

  /** A second payment shows by its name, so the first one needs its own. */
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

  private async lockOpen(tx: EntityManager, id: string): Promise<PayoutRow> {
    const payout = await this.payouts.lock(tx, id);
    if (!payout) throw payoutNotFound(`There is no payout ${id}.`);
    const { state } = payout;
    if (state === 'review' || hasEnded(state)) throw payoutNotOpen(`Payout ${id} is ${state}.`);
    return payout;
  }
}

/** A payment under another name is a second payment. */
const isSameName = ({ externalId }: PayoutRow, report: OutcomeBody): boolean =>
  report.externalId === undefined || externalId === null || externalId === report.externalId;

/** Reports may come late and in any order, so an earlier state is no contradiction. */
function isOldNews({ state }: PayoutRow, outcome: Outcome): boolean {
  if (outcome === 'processing' || outcome === 'needs-user') return state === outcome || hasEnded(state);
  return outcome === state || (outcome === 'paid' && state === 'returned');
}
