import type { ApiClient, Schema } from '../../../../../libs/client';
import { type Asked, useAnswer } from '../../ui/asking';
import { currencyName } from '../../words/language';

export type Currency = Schema<'CurrencyDto'>;

export function useCurrencies(api: ApiClient): Asked<readonly Currency[]> {
  return useAnswer(async (options) => (await api.listCurrencies(options)).items, [api]);
}

/** @param code empty for the default, which the API lists first */
export const currencyAmong = (
  currencies: readonly Currency[] | undefined,
  code: string,
): Currency | undefined => (code === '' ? currencies?.[0] : currencies?.find((one) => one.code === code));

/** Those that people choose. Play money is chosen by a rehearsal. */
export const choosable = (currencies: readonly Currency[] = []): readonly Currency[] =>
  currencies.filter(({ kind }) => kind !== 'test');

/** Those that people move by hand. Codes come by an upload, and leave in a rain, and play money is worth nothing. */
export const movedByHand = (currencies: readonly Currency[] | undefined): readonly Currency[] | undefined =>
  currencies?.filter(({ kind }) => kind !== 'codes' && kind !== 'test');

/** The options for choosing a currency, the default first. */
export const currencyOptions = (currencies: readonly Currency[]): Readonly<Record<string, string>> =>
  Object.fromEntries(currencies.map((one) => [one.code, `${one.code} · ${currencyName(one)}`]));
