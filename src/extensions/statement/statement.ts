import type { KnownCurrency } from '../../core/currency';
import type { TransferKind } from '../../core/wallet';

/** A movement of an account. */
export interface Line {
  readonly transferId: string;
  readonly kind: TransferKind;
  /** Negative if the wallet paid. */
  readonly amountMinor: bigint;
  readonly activityId: string | null;
  readonly payoutId: string | null;
  readonly at: Date;
}

/** A day of an account. It names no person, so forgetting one changes no statement. */
export interface Statement {
  readonly accountId: string;
  /** UTC, such as 2031-02-03. */
  readonly day: string;
  /** The ids of its movements are above this one. */
  readonly fromId: string;
  /** They end at this one. */
  readonly toId: string;
  readonly openingMinor: bigint;
  readonly closingMinor: bigint;
  readonly movements: number;
  readonly issuedAt: Date;
  /** The version of the writers that wrote its texts, and writes them forever. */
  readonly textsVersion: number;
}

/** How a statement is written: the same rows always give the same bytes, which were digested when it was issued. */
export interface Writing {
  readonly contentType: string;
  readonly extension: string;
  readonly head: (statement: Statement, currency: KnownCurrency) => string;
  readonly line: (line: Line, statement: Statement, currency: KnownCurrency, no: number) => string;
  readonly foot: (statement: Statement, currency: KnownCurrency) => string;
}

export type Digests = Readonly<Record<Format, Buffer | null>>;

export interface Issued extends Statement {
  /** SHA-256 of each text; null where there is none. */
  readonly digests: Digests;
}

export const FORMATS = ['json', 'csv', 'camt053'] as const;
export type Format = (typeof FORMATS)[number];

/** Banks know only currencies of ISO 4217. */
export const formatsOf = ({ kind }: KnownCurrency): readonly Format[] =>
  kind === 'money' ? FORMATS : FORMATS.filter((format) => format !== 'camt053');

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export const startOf = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

export const dayBefore = (day: string): string => dayOf(new Date(startOf(day).getTime() - 1));

export const endOf = (day: string): Date => new Date(startOf(day).getTime() + 86_400_000);

export const isLate = ({ at }: Line, { day }: Statement): boolean => at < startOf(day);

export const isEarly = ({ at }: Line, { day }: Statement): boolean => at >= endOf(day);

/** Where the money came from or went, without naming a person. */
export function counterpartyOf({ kind }: Line): 'activity' | 'outside' | 'payout' {
  if (kind === 'deposit' || kind === 'reversal') return 'outside';
  return kind.startsWith('payout') ? 'payout' : 'activity';
}
