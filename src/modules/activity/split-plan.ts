import { SplitInfeasible, type SplitPlan, type SplitTerms, checkSplit } from '../../../libs/split';
import type { Currency } from '../../platform/config';
import { invalidRequest } from '../../platform/http';
import type { AnySplitBody, CreateActivityBody } from './activity.dto';

/**
 * What a request asks of the split, in minor units.
 *
 * @throws Problem `request.invalid` naming the field when no split can meet it
 */
export function splitTerms(body: CreateActivityBody, currency: Currency): SplitTerms {
  const terms = {
    totalMinor: currency.parse(body.totalAmount),
    packetCount: body.packetCount,
    plan: splitPlan(body.split, currency),
  };
  try {
    checkSplit(terms);
    return terms;
  } catch (error) {
    if (!(error instanceof SplitInfeasible)) throw error;
    const fields = [{ field: error.field, message: error.reason }];
    throw invalidRequest('The amount cannot be split like that.', { fields });
  }
}

function splitPlan(split: AnySplitBody, currency: Currency): SplitPlan {
  const minor = (text: string | undefined) => (text === undefined ? undefined : currency.parse(text));
  switch (split.kind) {
    case 'random':
      return { kind: 'random', minMinor: minor(split.min), maxMinor: minor(split.max) };
    case 'equal':
      return { kind: 'equal' };
    case 'tiers':
      return {
        kind: 'tiers',
        tiers: split.tiers.map(({ amount, count }) => ({ amountMinor: currency.parse(amount), count })),
      };
  }
}
