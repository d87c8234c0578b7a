import { Invariants } from './core/reconciliation';
import { extensions } from './extensions';

/** The invariants that `verify` proves. */
export const invariants = new Invariants(
  extensions.flatMap((extension) => extension.invariants ?? []),
  Object.assign({}, ...extensions.map(({ evidence }) => evidence)),
);
