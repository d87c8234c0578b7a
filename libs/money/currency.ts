/** The number of decimals of a currency's amounts: 2 for CNY (`"7.10"`), 0 for JPY (`"710"`). */
export type CurrencyDigits = 0 | 1 | 2;

/** The currency does not exist, or its minor unit is smaller than a hundredth. */
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

/**
 * The code is in capitals.
 * @throws CurrencyUnsupported for an unknown code, and for currencies with more than two decimals
 */
export function currencyDigits(currency: string): CurrencyDigits {
  if (!Intl.supportedValuesOf('currency').includes(currency)) {
    throw new CurrencyUnsupported(currency, 'is no ISO 4217 code');
  }
  const digits = DIGITS_OTHER_THAN_TWO.get(currency) ?? 2;
  if (digits > 2) throw new CurrencyUnsupported(currency, `has ${digits} decimals; two are the most`);
  return digits as CurrencyDigits;
}
