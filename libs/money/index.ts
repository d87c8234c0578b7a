export { Currency, currencyDigits, CurrencyUnsupported, isMoneyCode } from './currency';
export { Limits, limitsIn } from './limits';
export { type CurrencyDigits, formatMoney, parseMoney } from './money';
