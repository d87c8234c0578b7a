import type { Currency } from '../../../libs/money';
import { type Fault, must } from '../../../libs/problem';
import { SplitInfeasible, type SplitTerms, checkSplit } from '../../../libs/split';
import { invalidRequest } from '../../platform/http';
import { type AnySplitBody, splitPlan } from './split.dto';

export interface SplitWish {
  readonly amount: string;
  /** The request's name for the amount, for problems. */
  readonly amountField: 'totalAmount' | 'amount';
  readonly packetCount: number;
  readonly split: AnySplitBody;
}

/** @throws Problem `request.invalid` naming the field if no split can meet the terms */
export function splitTerms(wish: SplitWish, currency: Currency): SplitTerms {
  const terms = {
    totalMinor: currency.parse(wish.amount),
    packetCount: wish.packetCount,
    plan: splitPlan(wish.split, currency),
  };
  try {
    checkSplit(terms);
    return terms;
  } catch (error) {
    if (!(error instanceof SplitInfeasible)) throw error;
    const named = (text: string) => text.replace('totalAmount', wish.amountField);
    const fault = faultOf(error, currency, named);
    const fields = [{ field: named(error.field), ...fault }];
    throw invalidRequest('The amount cannot be split in this way.', { fields });
  }
}

function faultOf(
  { broken, reason }: SplitInfeasible,
  currency: Currency,
  named: (text: string) => string,
): Fault {
  const message = named(reason);
  switch (broken.rule) {
    case 'whole-number':
      return must.beA('whole-number', message);
    case 'minimum':
      return must.beAtLeast(currency.format(broken.limitMinor), message, broken.other);
    case 'maximum':
      return must.beAtMost(currency.format(broken.limitMinor), message, broken.other);
    case 'sum':
      return must.addUp(broken.of, named(broken.other), message);
  }
}
