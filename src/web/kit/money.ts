/**
 * An amount with the decimals that the API writes, because browsers use others for some currencies. A number
 * represents every possible amount exactly, and nothing is computed here.
 * @param shown a number on its way to the amount
 */
export function moneyText(
  amount: string,
  currency: string,
  language: string,
  shown = Number(amount),
): string {
  const decimals = amount.split('.')[1]?.length ?? 0;
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(shown);
}
