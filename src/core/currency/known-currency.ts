import { Currency, type CurrencyDigits } from '../../../libs/money';

/**
 * `money` of ISO 4217; `points` of the installation; `codes`, of which one unit is one code of a pool;
 * `test`, which is worth nothing.
 */
export const CURRENCY_KINDS = ['money', 'points', 'codes', 'test'] as const;
export type CurrencyKind = (typeof CURRENCY_KINDS)[number];

/** Only the extension that knows their kind moves units in and out. */
const BACKED: readonly CurrencyKind[] = ['codes', 'test'];

/** The only currency of the kind `test`: ISO 4217 reserves its code for that. */
export const PLAY_MONEY = 'XTS';

export interface CurrencyFacts {
  /** 0 is the default. */
  readonly number: number;
  readonly code: string;
  readonly kind: CurrencyKind;
  readonly decimals: CurrencyDigits;
  readonly name: string;
}

/** A currency of this installation. It never changes. */
export class KnownCurrency extends Currency {
  readonly number: number;
  readonly kind: CurrencyKind;
  readonly name: string;

  constructor({ number, code, kind, decimals, name }: CurrencyFacts) {
    super(code, decimals);
    this.number = number;
    this.kind = kind;
    this.name = name;
  }

  /** True if nobody moves units in or out by hand. */
  get isBacked(): boolean {
    return BACKED.includes(this.kind);
  }

  /** True if each unit stands for something that is given to one person, whatever happens to the unit. */
  get isPromise(): boolean {
    return this.kind === 'codes';
  }

  /** True if it is worth nothing: lists for everyone, counts and limits of real money leave it out. */
  get isPlay(): boolean {
    return this.kind === 'test';
  }
}
