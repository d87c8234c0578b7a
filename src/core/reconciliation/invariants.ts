import { InvariantViolation } from '../../../libs/invariant';
import { type Evidence, withEvidence } from './evidence';
import type { ComputedInvariant, Invariant, Promised } from './invariant';
import { BALANCED_CURRENCIES, LEDGER_INVARIANTS } from './ledger-invariants';
import { RAIN_INVARIANTS } from './rain-invariants';
import { SETTLEMENT_INVARIANTS } from './settlement-invariants';

const OF_CORE = [...LEDGER_INVARIANTS, ...RAIN_INVARIANTS, ...SETTLEMENT_INVARIANTS];

/** The invariants of the core, and those of extensions. */
export class Invariants {
  /** In the order of their numbers. */
  readonly statements: readonly Invariant[];
  readonly computed: readonly ComputedInvariant[];

  constructor(
    added: readonly (ComputedInvariant | Invariant)[],
    readonly evidence: Evidence = {},
  ) {
    const byId = new Map<string, Invariant>();
    for (const invariant of [...OF_CORE, ...added.filter((one) => 'sql' in one)])
      byId.set(invariant.id, together(byId.get(invariant.id), invariant));
    this.statements = [...byId.values()].sort(byNumber).map((one) => readable(one, evidence));
    this.computed = [BALANCED_CURRENCIES, ...added.filter((one) => 'compute' in one)];
  }
}

/** I2 comes before I10, and numbers before names. */
export const byNumber = (a: Pick<Promised, 'id'>, b: Pick<Promised, 'id'>): number =>
  a.id.localeCompare(b.id, 'en', { numeric: true });

/** Adds an extension's part to an invariant that is also proven without that extension. */
function together(known: Invariant | undefined, more: Invariant): Invariant {
  if (!known) return more;
  if (known.title !== more.title) throw new InvariantViolation(`${more.id} has two meanings.`);
  return {
    ...known,
    sql: sum(known.sql, more.sql)!,
    ofRains: sum(known.ofRains, more.ofRains),
    ofLedger: sum(known.ofLedger, more.ofLedger),
  };
}

function readable({ ofRains, ofLedger, ...invariant }: Invariant, evidence: Evidence): Invariant {
  return {
    ...invariant,
    sql: withEvidence(invariant.sql, evidence),
    ...(ofRains !== undefined && { ofRains: withEvidence(ofRains, evidence) }),
    ...(ofLedger !== undefined && { ofLedger: withEvidence(ofLedger, evidence) }),
  };
}

function sum(one?: string, other?: string): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return `select sum(examined) as examined, sum(breaches) as breaches from ((${one}) union all (${other})) as parts`;
}
