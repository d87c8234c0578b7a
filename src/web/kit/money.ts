/** The currency of a pool, of which one unit is one code. Nothing else begins like this. */
export const isOfCodes = (currency: string | undefined): boolean => /^CODE\d+$/.test(currency ?? '');

const CODES: Readonly<Record<string, (count: string) => string>> = {
  en: (count) => (count === '1' ? '1 code' : `${count} codes`),
  zh: (count) => `${count} 个兑换码`,
};

/** How many decimals the API writes amounts of a currency with. */
export const decimalsOf = (amount: string): number => amount.split('.')[1]?.length ?? 0;

/** An amount in minor units, to add and compare it exactly. */
export const minorOf = (amount: string): bigint => BigInt(amount.replace('.', ''));

/** The amount of these minor units, as the API writes it. */
export function amountOf(minor: bigint, decimals: number): string {
  const digits = String(minor).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/**
 * An amount with the decimals that the API writes, because browsers use others for some currencies. Nothing is
 * computed here: Intl reads the text, of which a number would not represent every amount of 16 digits. Points have
 * no sign: their code follows the figure.
 * @param shown a number on its way to the amount
 */
export function moneyText(
  amount: string,
  currency: string,
  language: string,
  shown = Number(amount),
): string {
  const value = shown === Number(amount) ? (amount as `${number}`) : shown;
  const decimals = decimalsOf(amount);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const figure = new Intl.NumberFormat(language, digits).format(value);
  if (isOfCodes(currency)) return CODES[language]!(figure);
  if (!/^[A-Z]{3}$/.test(currency)) return `${figure}\u00a0${currency}`;
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    ...digits,
  }).format(value);
}
