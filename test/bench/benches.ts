import type { Bench } from './bench';
import { designs } from './designs';
import { http } from './http';
import { lua } from './lua';
import { overload } from './overload';
import { soak } from './soak';

/** In the order in which they run. */
export const BENCHES: readonly Bench[] = [lua, designs, http, soak, overload];
