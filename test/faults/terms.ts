import { AUDIENCE_KINDS, type AudienceKind } from './audience';
import type { Chance } from './chance';
import type { Kind, Term } from './kind';

/** Terms that a round's rains may have in addition to those of a plain rain. */
export interface Terms {
  /** Who may take part; everyone if undefined. */
  readonly audience?: AudienceKind;
  /** How often a user may win in all rains of the round, in total or per UTC day. */
  readonly limit?: { readonly wins: number; readonly by: 'perUser' | 'perUserPerDay' };
  readonly pace?: 'even' | 'waves';
  /** Packets give codes of a pool. No claim of such a round is held or declared void: that would burn its code. */
  readonly codes: boolean;
  /** The rains of the round are in different currencies. */
  readonly currencies: boolean;
  /** Meanwhile people with a past are forgotten, and their statements are read. */
  readonly erasures: boolean;
  readonly tickets: boolean;
  /** Some tickets ask for their wins to be held. */
  readonly holds: boolean;
  /** All rains except the first one are rehearsals, for the same users and from the same sponsor. */
  readonly rehearses: boolean;
}

const SHARES: Record<Term, number> = {
  audience: 0.2,
  codes: 0.12,
  currencies: 0.2,
  erasures: 0.75,
  limit: 0.15,
  pace: 0.2,
  rehearsal: 0.15,
  tickets: 0.2,
};

export function termsOf(chance: Chance, kind: Kind): Terms {
  const has = (term: Term) => {
    const isDrawn = chance.isTrue(SHARES[term]);
    return (kind.terms?.includes(term) ?? isDrawn) && !kind.needsOtherVersion;
  };
  const isAlone = kind.cure !== undefined;
  const limit = { wins: chance.integer(1, 2), by: chance.pick(['perUser', 'perUserPerDay'] as const) };
  const pace = chance.pick(['even', 'waves'] as const);
  const hasLimit = has('limit') && !isAlone;
  const hasPace = has('pace');
  const tickets = has('tickets');
  const codes = has('codes') && !isAlone && !kind.paysOut && !kind.olderBeside;
  const rehearses = has('rehearsal') && !isAlone && !codes && !kind.paysOut && !kind.olderBeside;
  const audience = has('audience') && !kind.olderBeside ? chance.pick(AUDIENCE_KINDS) : undefined;
  const keepsPast = !isAlone && !kind.olderBeside && !kind.stepsClock && !kind.losesCommits;
  const erasures = has('erasures') && keepsPast;
  const isPlain = !codes && !rehearses && !hasLimit && !kind.paysOut;
  const currencies = has('currencies') && isPlain && !isAlone && !kind.olderBeside && !kind.losesCommits;
  return {
    limit: hasLimit ? limit : undefined,
    pace: hasPace ? pace : undefined,
    tickets,
    holds: tickets && !isAlone && !codes,
    codes,
    currencies,
    rehearses,
    audience,
    erasures,
  };
}

/** The fields of a creation request, except the plan. */
export function bodyOf({ limit, tickets }: Terms): object {
  return {
    limits: limit && { group: 'round', [limit.by]: limit.wins },
    admission: tickets ? 'ticket' : undefined,
  };
}

/** The instants at which packets are released, and how many of them at each. */
export type Releases = readonly { readonly atMs: number; readonly count: number }[];

const WAVES = 3;

/** So late that on a busy machine, too, users come again before it. */
const ADDED_LATER_MS = 1_000;

/** Releases half of a top-up's packets at once, and half of them later. */
export function addedPaceOf(
  packets: number,
  { opensAt, closesAt }: { readonly opensAt: number; readonly closesAt: number },
): { body: object; releases: Releases } {
  const now = Date.now();
  const laterMs = Math.min(now + ADDED_LATER_MS, closesAt - 1);
  const releases = [
    { atMs: now, count: Math.ceil(packets / 2) },
    { atMs: laterMs, count: Math.floor(packets / 2) },
  ].filter(({ count }) => count > 0);
  const at = [opensAt, laterMs].map((ms) => new Date(ms).toISOString());
  return { body: { kind: 'waves', waves: releases.map(({ count }, i) => ({ at: at[i], count })) }, releases };
}

/** @returns the `pace` field of a creation request, and the releases that it promises */
export function paceOf(
  kind: NonNullable<Terms['pace']>,
  packets: number,
  fromMs: number,
  lengthMs: number,
): { body: object; releases: Releases } {
  const instant = (atMs: number) => new Date(atMs).toISOString();
  if (kind === 'even') {
    const atOf = (i: number) => fromMs + Math.ceil((i * lengthMs) / packets);
    const releases = Array.from({ length: packets }, (_, i) => ({ atMs: atOf(i), count: 1 }));
    return { body: { kind, until: instant(fromMs + lengthMs) }, releases };
  }
  const releases = Array.from({ length: WAVES }, (_, i) => ({
    atMs: fromMs + Math.round((i * lengthMs) / WAVES),
    count: Math.floor((packets + i) / WAVES),
  }));
  return {
    body: { kind, waves: releases.map(({ atMs, count }) => ({ at: instant(atMs), count })) },
    releases,
  };
}
