export { CURRENCY_BIT, currencyNumberOf, newAccountId } from './account-currency';
export { Currencies } from './currencies';
export { CurrencyApiModule, CurrencyModule } from './currency.module';
export { type CurrencyKind, KnownCurrency } from './known-currency';
export { currencySchema } from './schema';
