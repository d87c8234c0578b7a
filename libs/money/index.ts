export { currencyDigits, CurrencyUnsupported } from './currency';
export type { CurrencyDigits } from './currency';
export { formatMoney, parseMoney } from './money';
