export { Currency, currencyDigits, CurrencyUnsupported, isCurrencyCode } from './currency';
export { Limits, limitsIn } from './limits';
export { type CurrencyDigits, formatMoney, parseMoney } from './money';
