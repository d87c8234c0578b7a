import type { ApiClient, Schema } from '../../../../../libs/client';
import { type Asked, type AskOptions, useAnswer } from '../../ui/asking';

export type Pool = Schema<'CodePoolDetailDto'>;

/** The id of the pool whose codes are units of a currency; undefined for other currencies. */
export const poolOf = (currency: string): string | undefined => /^CODE(\d+)$/.exec(currency)?.[1];

/** A pool as it is. */
export const usePool = (api: ApiClient, id: string, options?: AskOptions): Asked<Pool> =>
  useAnswer((asked) => api.readCodePool(id, asked), [api, id], options);

/** The pool of a currency, once it is read; undefined for currencies that are not codes. */
export function usePoolOf(api: ApiClient, currency: string): Pool | undefined {
  const id = poolOf(currency);
  return useAnswer(
    async (options) => (id === undefined ? undefined : api.readCodePool(id, options)),
    [api, id],
  ).value;
}
