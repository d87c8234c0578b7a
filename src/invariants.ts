import { Invariants } from './core/reconciliation';
import { extensions } from './extensions';

/** What `verify` proves. */
export const invariants = new Invariants(extensions.flatMap((extension) => extension.invariants ?? []));
