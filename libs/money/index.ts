export { currencyDigits, CurrencyUnsupported } from './currency';
export type { CurrencyDigits } from './currency';
export { formatMoney, MONEY_GRAMMAR, parseMoney } from './money';
