import {
  Currency,
  type CurrencyDigits,
  currencyDigits,
  isCurrencyCode,
  parseMoney,
} from '../../../libs/money';
import type { Settings } from './bench';

/** As the command line gives them. */
interface Wanted {
  readonly currency: string;
  readonly decimals?: string;
  readonly smallest?: string;
  readonly largest?: string;
}

/** Of every amount, before the point. */
const WHOLE_DIGITS_MAX = 15;

/**
 * The currency that a receiver pays in, with the smallest and the largest amount as a call would write them. They are
 * those of the currency unless they are given.
 * @throws Error with one line if there is no such currency or amount
 */
export function paidAmounts({
  currency: code,
  decimals,
  ...given
}: Wanted): Pick<Settings, 'currency' | 'smallest' | 'largest'> {
  const currency = new Currency(code, digitsOf(code, decimals));
  const boundOf = (name: 'smallest' | 'largest', boundMinor: bigint): string => {
    const text = given[name];
    const minor = text === undefined ? boundMinor : parseMoney(text, currency.digits);
    if (minor === undefined) throw new Error(`--${name} is not an amount in ${code}.`);
    return currency.format(minor);
  };
  const largestMinor = 10n ** BigInt(WHOLE_DIGITS_MAX + currency.digits) - 1n;
  return { currency, smallest: boundOf('smallest', 1n), largest: boundOf('largest', largestMinor) };
}

/** Money has the decimals of ISO 4217. Points, whose codes are longer, have those with which they were added. */
function digitsOf(code: string, decimals: string | undefined): CurrencyDigits {
  if (isCurrencyCode(code) && code.length > 3) return decimalsOfPoints(decimals);
  const digits = currencyDigits(code);
  if (decimals !== undefined && decimals !== String(digits))
    throw new Error(`${code} has ${digits} decimals, as in ISO 4217.`);
  return digits;
}

function decimalsOfPoints(decimals = '0'): CurrencyDigits {
  if (!/^[0-2]$/.test(decimals)) throw new Error('--decimals of points must be 0, 1 or 2.');
  return Number(decimals) as CurrencyDigits;
}
