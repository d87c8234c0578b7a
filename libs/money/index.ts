export { Currency, currencyDigits, CurrencyUnsupported, isCurrencyCode, isMoneyCode } from './currency';
export { Limits, limitsIn } from './limits';
export { type CurrencyDigits, formatMoney, parseMoney } from './money';
