export { CURRENCY_BIT, currencyNumberOf, newAccountId } from './account-currency';
export { type Backing, Backings, type NumberedPackets, type WantedPackets } from './backing';
export { ApiBacking, backingProblems, defineBacking, describeBacking } from './backing-definition';
export { currencyExists, tooManyCurrencies } from './currency.error';
export { Currencies } from './currencies';
export { CurrencyApiModule, CurrencyModule } from './currency.module';
export { type CurrencyKind, KnownCurrency } from './known-currency';
export { currencySchema } from './schema';
