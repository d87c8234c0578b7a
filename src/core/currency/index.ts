export { CURRENCY_BIT, currencyNumberOf, newAccountId } from './account-currency';
export {
  type Backing,
  Backings,
  type MoneyTerms,
  type NumberedPackets,
  type NeededUnits,
  type WantedPackets,
} from './backing';
export {
  ApiBacking,
  BackingField,
  backingProblems,
  defineBacking,
  defineBackingFields,
  describeBacking,
} from './backing-definition';
export { tooManyCurrencies } from './currency.error';
export { Currencies } from './currencies';
export { CurrencyRepository } from './currency.repository';
export { CurrencyApiModule, CurrencyModule } from './currency.module';
export { KnownCurrency, PLAY_MONEY } from './known-currency';
export { currencySchema } from './schema';
