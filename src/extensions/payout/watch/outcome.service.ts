import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Currency } from '../../../platform/config';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { type PendingDeed, SecondPerson } from '../../../core/second-person';
import { LostCalls } from '../book/lost-calls';
import { PayoutDecisions, requireNewest } from '../book/payout-decisions';
import { RESOLUTION, type ResolutionTerms } from '../book/payout-deeds';
import {
  type OutcomeBody,
  type OutcomeResultDto,
  type OutcomeResultsDto,
  type PayoutDto,
  type ResolvePayoutBody,
  toPayoutDto,
} from '../book/payout.dto';
import type { PayoutRow } from '../book/payout.entity';
import { PayoutOutcomes } from '../book/payout-outcomes';
import { PayoutRepository } from '../book/payout.repository';

/** A channel reports the end of a payout, or two people have found it out. */
@Injectable()
export class OutcomeService {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly outcomes: PayoutOutcomes,
    private readonly decisions: PayoutDecisions,
    private readonly lostCalls: LostCalls,
    private readonly secondPerson: SecondPerson,
    private readonly idempotency: IdempotencyService,
    private readonly currency: Currency,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {
    secondPerson.registerDeed<ResolutionTerms>({
      ...RESOLUTION,
      perform: async (tx, approver, { subjectId, terms }) => {
        await this.decisions.resolve(tx, approver, subjectId, terms);
        return { detail: { outcome: terms.outcome } };
      },
    });
  }

  /**
   * Applies each outcome in a transaction of its own. A repeated report changes nothing; one that
   * contradicts the state of its payout becomes a finding. A channel knows no payouts of others.
   */
  async report(reporter: Caller, outcomes: readonly OutcomeBody[]): Promise<OutcomeResultsDto> {
    const results: OutcomeResultDto[] = [];
    for (const outcome of outcomes)
      results.push(await this.dataSource.transaction((tx) => this.apply(tx, reporter, outcome)));
    return { results };
  }

  /**
   * Requests that a second person confirms how a payout ended. Ends it where nobody could.
   * @throws payoutNotFound, payoutNotOpen, payoutSentAgain, ownPayout, balanceLimitReached
   */
  askToResolve(
    request: IdempotentRequest,
    id: string,
    body: ResolvePayoutBody,
  ): Promise<PayoutDto | PendingDeed> {
    const { caller } = request;
    return this.idempotency.once(request, async (tx) => {
      const payout = await this.payouts.lockOpen(tx, caller, id);
      requireNewest(payout, body);
      const { amountMinor, channelId, userId } = payout;
      const terms: ResolutionTerms = { ...body, channelId, userId };
      const wish = { action: RESOLUTION.action, subjectId: id, sourceId: id, amountMinor, terms };
      return this.secondPerson.requestOrPerform(tx, request, wish, async () =>
        toPayoutDto(await this.decisions.resolve(tx, caller, id, body), this.currency),
      );
    });
  }

  /** While a payment is being asked for, money that it may take is not given back. */
  private async apply(tx: EntityManager, reporter: Caller, report: OutcomeBody): Promise<OutcomeResultDto> {
    const { id } = report;
    const payout = await this.payouts.lock(tx, id);
    if (!payout || payout.channelId !== reporter.channelId || !(await this.isKnown(tx, payout)))
      return { id, result: 'not-found', state: null };
    return this.outcomes.report(tx, payout, report, { reportedBy: reporter.userId });
  }

  /** A channel that has never heard of a payout may know its id of one that is lost. */
  private async isKnown(tx: EntityManager, payout: PayoutRow): Promise<boolean> {
    const { channelId, state, calls, attempt, endedAt } = payout;
    if (state === 'review') return false;
    if (calls > 0 || endedAt !== null) return true;
    return attempt === 1 && !(await this.lostCalls.find(tx, channelId));
  }
}
