import { type CurrencyDigits, parseMoney } from '../../../../libs/money';
import { type Fault, must } from '../../../../libs/problem';
import { Judged } from './judged';

const DECIMALS = /^(0|[1-9]\d{0,14})\.\d+$/;

/** Decorators are evaluated before there is a configuration. */
let digits: CurrencyDigits = 2;

/** Sets the decimals of `IsMoney`. */
export function useMoneyDigits(ofCurrency: CurrencyDigits): void {
  digits = ofCurrency;
}

/** An amount above zero in the configured currency, kept as text for `parseMoney`. */
export const IsMoney = (): PropertyDecorator => Judged('isMoney', moneyFault);

function moneyFault(value: unknown): Fault | undefined {
  const minor = parseMoney(value, digits);
  if (minor !== undefined && minor > 0n) return undefined;
  if (minor === undefined && typeof value === 'string' && DECIMALS.test(value))
    return must.haveDecimals(digits);
  const example = digits === 0 ? '710' : '7.10'.slice(0, 2 + digits);
  return must.beA('amount', `must be an amount of money above zero, written as text such as "${example}"`);
}
