import { type Currency, parseMoney } from '../../../../libs/money';
import { type Fault, must } from '../../../../libs/problem';
import { currencyOfRequest } from './is-currency';
import { Judged } from './judged';

const DECIMALS = /^(0|[1-9]\d{0,14})\.\d+$/;

/** An amount above zero in the currency that the request names, kept as text for `parseMoney`. */
export const IsMoney = (): PropertyDecorator =>
  Judged('isMoney', (value) => moneyFault(value, currencyOfRequest()));

function moneyFault(value: unknown, { digits }: Currency): Fault | undefined {
  const minor = parseMoney(value, digits);
  if (minor !== undefined && minor > 0n) return undefined;
  if (minor === undefined && typeof value === 'string' && DECIMALS.test(value))
    return must.haveDecimals(digits);
  const example = digits === 0 ? '710' : '7.105'.slice(0, 2 + digits);
  return must.beA('amount', `must be an amount of money above zero, written as text such as "${example}"`);
}
