/** The number of decimals of a currency's amounts: 2 for CNY (`"7.10"`), 0 for JPY (`"710"`), 3 for KWD. */
export type CurrencyDigits = 0 | 1 | 2 | 3;

/**
 * No sign, no exponent, no blanks, no leading zeros. At most fifteen digits before the point, so
 * that every amount fits in 64 bits of minor units.
 */
const GRAMMAR: Readonly<Record<CurrencyDigits, RegExp>> = {
  0: /^(0|[1-9]\d{0,14})$/,
  1: /^(0|[1-9]\d{0,14})(?:\.(\d))?$/,
  2: /^(0|[1-9]\d{0,14})(?:\.(\d{1,2}))?$/,
  3: /^(0|[1-9]\d{0,14})(?:\.(\d{1,3}))?$/,
};

/**
 * Returns minor units: `"7.1"` with two digits is `710n`. Undefined for text outside the grammar, and for
 * every number: JSON numbers are binary floating point, so the intended decimal is lost.
 */
export function parseMoney(text: unknown, digits: CurrencyDigits): bigint | undefined {
  if (typeof text !== 'string') return undefined;
  const match = GRAMMAR[digits].exec(text);
  if (!match) return undefined;
  const [, whole, fraction = ''] = match;
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

/** Writes minor units with exactly the currency's digits: `710n` with two digits is `"7.10"`. */
export function formatMoney(minor: bigint, digits: CurrencyDigits): string {
  if (minor < 0n) return `-${formatMoney(-minor, digits)}`;
  if (digits === 0) return minor.toString();
  const padded = minor.toString().padStart(digits + 1, '0');
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}
