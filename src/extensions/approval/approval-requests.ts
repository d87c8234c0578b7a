import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig } from '../../platform/config';
import { type Actor, AuditLog, type Deed } from '../../core/audit';
import { Currencies } from '../../core/currency';
import { type DeedWish, SecondPerson, type SecondPersonRules, type SoloSum } from '../../core/second-person';
import type { ApprovalDto } from './approval.dto';
import { ApprovalRepository, UNDECIDED } from './approval.repository';
import { ApprovalViews } from './approval-views';
import { SoloLimits } from './solo-limits';

/** Records deeds that one person may not carry out alone. */
@Injectable()
export class ApprovalRequests implements SecondPersonRules {
  readonly undecidedDeeds = UNDECIDED;

  constructor(
    private readonly secondPerson: SecondPerson,
    private readonly limits: SoloLimits,
    private readonly approvals: ApprovalRepository,
    private readonly views: ApprovalViews,
    private readonly audit: AuditLog,
    private readonly currencies: Currencies,
    private readonly config: AppConfig,
  ) {
    secondPerson.registerRules(this);
  }

  takeTurns(tx: EntityManager, people: readonly string[]): Promise<ReadonlySet<string>> {
    return this.limits.takeTurns(tx, people);
  }

  takeSoloSums(tx: EntityManager, sums: readonly SoloSum[]): Promise<boolean[]> {
    return this.limits.take(tx, sums);
  }

  async requestDeeds(
    tx: EntityManager,
    wishes: readonly (DeedWish & { readonly askedBy: Actor })[],
  ): Promise<ApprovalDto[]> {
    const approvals = await this.approvals.insert(
      tx,
      wishes.map(({ askedBy, currency, ...wish }) => ({
        ...wish,
        currency: this.currencies.unlessDefault(currency) ?? null,
        askedBy: askedBy.userId,
      })),
      this.config.APPROVAL_VALID_SECONDS,
    );
    const dtos = await Promise.all(approvals.map((approval) => this.views.one(approval)));
    await this.audit.recordAll(
      tx,
      dtos.map((dto, i) => {
        const { askedBy: actor, currency } = wishes[i]!;
        return { actor, deed: this.askingOf(dto, this.currencies.unlessDefault(currency)) };
      }),
    );
    return dtos;
  }

  lapse(tx: EntityManager, action: string, subjectId: string): Promise<void> {
    return this.approvals.lapse(tx, action, subjectId);
  }

  private askingOf(
    { id, status, action, subject, amount, terms }: ApprovalDto,
    currency: string | undefined,
  ): Deed {
    const { unlogged = [] } = this.secondPerson.findDeed(action) ?? {};
    const logged = Object.fromEntries(Object.entries(terms).filter(([name]) => !unlogged.includes(name)));
    return {
      action: 'approval.ask',
      id,
      after: { status },
      detail: { action, subject, amount, currency, terms: logged },
    };
  }
}
