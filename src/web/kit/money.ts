import { type Language, tagOf } from './language';

/** A number represents every possible amount exactly, and nothing is computed here. */
export function moneyText(amount: string | number, currency: string, language: Language): string {
  return new Intl.NumberFormat(tagOf(language), {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  }).format(Number(amount));
}
