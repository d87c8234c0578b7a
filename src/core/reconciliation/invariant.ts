import type { EntityManager } from 'typeorm';
import type { Evidence } from './evidence';
import { amongKept } from './rain-scope';

export interface Promised {
  readonly id: string;
  readonly title: string;
  /** The things that are examined, and counted. */
  readonly subject: string;
}

/**
 * An invariant of the whole database, as queries that return one row: `examined`, `breaches`. An extension
 * that moves money brings its own:
 *
 *     export const giftInvariants: readonly Invariant[] = [
 *       ofLedger({ id: 'I29', title: 'every gift was paid for', subject: 'gifts', sql: `select …` }),
 *     ];
 *
 * It holds even while packets are grabbed or after a crash. It is one statement, and so is evaluated
 * in one snapshot.
 */
export interface Invariant extends Promised {
  readonly sql: string;
  /** The part of the query that some activities can answer alone, {@link withinRains}. */
  readonly ofRains?: string;
  /** The part about the whole ledger. `carried` is the effect of sealed activities on accounts. */
  readonly ofLedger?: string;
}

/** An invariant that no statement can compute. */
export interface ComputedInvariant extends Promised {
  /** Computes everything if `isWhole`; otherwise only what is new, and trusts the rest. */
  compute(tx: EntityManager, isWhole: boolean, evidence: Evidence): Promise<Computed>;
}

export interface Computed {
  readonly examined: number;
  /** The faults, a line each. */
  readonly faults: readonly string[];
  /** Notes what was proven, so that the next run can rely on it. Called only by a run that may seal. */
  readonly remember?: (tx: EntityManager) => Promise<void>;
}

export const ofRains = (invariant: Invariant): Invariant => ({ ...invariant, ofRains: invariant.sql });

/** An invariant that needs packets, claims or credits: over all data it skips archived activities. */
export const ofKeptRains = (invariant: Invariant): Invariant => ({
  ...invariant,
  sql: amongKept(invariant.sql),
  ofRains: invariant.sql,
});

export const ofLedger = (invariant: Invariant): Invariant => ({ ...invariant, ofLedger: invariant.sql });
