import type { Bench } from './bench';

/** In the order in which they run. */
export const BENCHES: readonly Bench[] = [];
