import { type Evidence, Invariants } from './core/reconciliation';
import { extensions } from './extensions';

/** The invariants that `verify` proves. */
export const invariants = new Invariants(
  extensions.flatMap((extension) => extension.invariants ?? []),
  extensions.reduce<Evidence>((all, { evidence }) => ({ ...all, ...evidence }), {}),
);
