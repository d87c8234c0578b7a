import { invariant } from '../invariant';
import { type CurrencyDigits, parseMoney } from './money';

/**
 * Returns the figures of a setting that has one for each currency, by their codes: `CNY=1000.00,COINS=50000`.
 * A bare figure is for the default currency.
 */
export const limitsIn = (setting: string, defaultCode: string): (readonly [code: string, figure: string])[] =>
  setting.split(',').map((part) => {
    const [figure = '', code = defaultCode] = part.split('=').reverse();
    return [code, figure];
  });

/** Figures are kept with this many decimals, of which no currency has more. */
const DIGITS: CurrencyDigits = 3;

/** The limits of a setting, one for each currency. Where there are limits, a currency without one has 0. */
export class Limits {
  private constructor(private readonly byCode: ReadonlyMap<string, bigint>) {}

  /** Undefined if the setting is. */
  static of(setting: string | undefined, defaultCode: string): Limits | undefined {
    if (setting === undefined) return undefined;
    const limits = limitsIn(setting, defaultCode).map(([code, figure]) => {
      const limit = parseMoney(figure, DIGITS);
      invariant(limit !== undefined, () => `${figure} is not a limit.`);
      return [code, limit] as const;
    });
    return new Limits(new Map(limits));
  }

  /** In minor units of the currency. */
  in({ code, digits }: { readonly code: string; readonly digits: CurrencyDigits }): bigint {
    return (this.byCode.get(code) ?? 0n) / 10n ** BigInt(DIGITS - digits);
  }
}
