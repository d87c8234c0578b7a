import { moneyText } from '../kit/money';

/** Writes amounts of a list. Some currencies share a sign, so where there are several each has its code as well. */
export function moneyAmong(
  sums: readonly { readonly currency: string }[],
  language: string,
): (amount: string, currency: string) => string {
  const isSigned = (text: string, currency: string) => sums.length > 1 && !text.includes(currency);
  return (amount, currency) => {
    const text = moneyText(amount, currency, language);
    return isSigned(text, currency) ? `${text}\u00a0${currency}` : text;
  };
}
