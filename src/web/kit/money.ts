/**
 * An amount with the decimals that the API writes, because browsers use others for some currencies. A number
 * represents every possible amount exactly, and nothing is computed here. Points have no sign: their code
 * stands behind the figure.
 * @param shown a number on its way to the amount
 */
export function moneyText(
  amount: string,
  currency: string,
  language: string,
  shown = Number(amount),
): string {
  const decimals = amount.split('.')[1]?.length ?? 0;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  if (!/^[A-Z]{3}$/.test(currency))
    return `${new Intl.NumberFormat(language, digits).format(shown)}\u00a0${currency}`;
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    ...digits,
  }).format(shown);
}
