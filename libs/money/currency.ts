import { type CurrencyDigits, formatMoney, parseMoney } from './money';

/** The form of every currency's code, including points and pools of codes. */
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
 * The decimals of the money of ISO 4217, list one of 2026, with what was withdrawn since 2025. Precious metals, funds
 * and codes for tests are left out, except for the units of account CLF, UYI and UYW.
 *
 * Intl knows what was ever used, in the version of the day, and its decimals are those of usual prices (0 for the
 * forint where ISO says 2). Stored amounts count minor units, so a change would multiply or divide every balance by
 * a hundred on the day of an upgrade.
 */
const DIGITS = new Map<string, number>([
  ...withDigits(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...withDigits(
    2,
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP ' +
      'CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR ' +
      'JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN ' +
      'NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP ' +
      'SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG',
  ),
  ...withDigits(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...withDigits(4, 'CLF UYW'),
]);

function withDigits(digits: number, codes: string): [string, number][] {
  return codes.split(' ').map((code) => [code, digits]);
}

/**
 * The code is in capitals.
 * @throws CurrencyUnsupported for an unknown code, and for currencies with more than three decimals
 */
export function currencyDigits(currency: string): CurrencyDigits {
  const digits = DIGITS.get(currency);
  if (digits === undefined) throw new CurrencyUnsupported(currency, 'is not current money of ISO 4217');
  if (digits > 3) throw new CurrencyUnsupported(currency, `has ${digits} decimals; three are the most`);
  return digits as CurrencyDigits;
}
