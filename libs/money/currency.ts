import { type CurrencyDigits, formatMoney, parseMoney } from './money';

/** Of every currency, also of points and codes. */
const CODE = /^[A-Z][A-Z0-9]{2,11}$/;

export const isCurrencyCode = (text: string): boolean => CODE.test(text);

/** How amounts of a currency are written. */
export class Currency {
  constructor(
    readonly code: string,
    readonly digits: CurrencyDigits,
  ) {}

  /** Clients see 710n of CNY as "7.10". */
  format(minor: bigint): string {
    return formatMoney(minor, this.digits);
  }

  /** The text must have passed validation. */
  parse(text: string): bigint {
    const minor = parseMoney(text, this.digits);
    if (minor === undefined) throw new TypeError('not an amount of money');
    return minor;
  }
}

/** The currency does not exist, or its minor unit is smaller than a thousandth. */
export class CurrencyUnsupported extends Error {
  override readonly name = 'CurrencyUnsupported';

  constructor(
    readonly currency: string,
    reason: string,
  ) {
    super(`Currency "${currency}" ${reason}.`);
  }
}

/**
 * Every exception from two decimals in ISO 4217, list one.
 *
 * Intl only answers whether a code exists: its decimals are those of usual prices (0 for the forint
 * where ISO says 2), and change with versions of Node. Stored amounts count minor units, so a
 * change would multiply or divide every balance by a hundred on the day of an upgrade.
 */
const DIGITS_OTHER_THAN_TWO = new Map<string, number>([
  ...withDigits(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...withDigits(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...withDigits(4, 'CLF UYW'),
]);

function withDigits(digits: number, codes: string): [string, number][] {
  return codes.split(' ').map((code) => [code, digits]);
}

/** ISO's codes for tests and for no currency, in which nobody holds money. */
const NO_MONEY = ['XTS', 'XXX'];

export const isMoneyCode = (code: string): boolean =>
  Intl.supportedValuesOf('currency').includes(code) && !NO_MONEY.includes(code);

/**
 * The code is in capitals.
 * @throws CurrencyUnsupported for an unknown code, and for currencies with more than three decimals
 */
export function currencyDigits(currency: string): CurrencyDigits {
  if (!isMoneyCode(currency)) throw new CurrencyUnsupported(currency, 'is no ISO 4217 code');
  const digits = DIGITS_OTHER_THAN_TWO.get(currency) ?? 2;
  if (digits > 3) throw new CurrencyUnsupported(currency, `has ${digits} decimals; three are the most`);
  return digits as CurrencyDigits;
}
