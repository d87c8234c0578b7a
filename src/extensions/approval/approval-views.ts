import { Injectable } from '@nestjs/common';
import { Currencies } from '../../core/currency';
import { type DeedDescription, SecondPerson } from '../../core/second-person';
import type { Approval } from './approval';
import type { ApprovalDto } from './approval.dto';

@Injectable()
export class ApprovalViews {
  constructor(
    private readonly secondPerson: SecondPerson,
    private readonly currencies: Currencies,
  ) {}

  async one(approval: Approval): Promise<ApprovalDto> {
    const { id, status, action, subjectId, amountMinor, terms, askedBy, decidedBy, resultId } = approval;
    const currency = await this.currencies.named({ currency: approval.currency ?? undefined });
    const noun = nounOf(this.secondPerson.findDeed(action) ?? { action });
    return {
      id,
      status,
      action,
      subject: `${noun}:${subjectId}`,
      amount: currency.format(amountMinor),
      currency: currency.code,
      terms: textsOf(terms),
      askedBy,
      askedAt: approval.askedAt.toISOString(),
      expiresAt: approval.expiresAt.toISOString(),
      decidedBy,
      decidedAt: approval.decidedAt?.toISOString() ?? null,
      ...(approval.reason !== null && { reason: approval.reason }),
      resultId,
    };
  }
}

/** Returns the noun of a deed's subject. */
export const nounOf = ({ action, noun }: Pick<DeedDescription, 'action' | 'noun'>): string =>
  noun ?? action.slice(0, action.indexOf('.'));

const textsOf = (terms: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(terms).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
