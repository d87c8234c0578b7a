import { Currency, type CurrencyDigits } from '../../../libs/money';

/**
 * `money` of ISO 4217; `points` that somebody thought of; `codes`, of which one unit is one code of a pool;
 * `test`, which is worth nothing.
 */
export const CURRENCY_KINDS = ['money', 'points', 'codes', 'test'] as const;
export type CurrencyKind = (typeof CURRENCY_KINDS)[number];

/** Their units enter and leave the ledger only together with what they stand for, which an extension keeps. */
const BACKED: readonly CurrencyKind[] = ['codes'];

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

  /** True if each unit stands for something, so that nobody moves any in or out by hand. */
  get isBacked(): boolean {
    return BACKED.includes(this.kind);
  }
}
