import type { Bench } from './bench';
import { create } from './create';
import { designs } from './designs';
import { events } from './events';
import { growth } from './growth';
import { http } from './http';
import { lua } from './lua';
import { overload } from './overload';
import { processes } from './processes';
import { settle } from './settle';
import { soak } from './soak';
import { verify } from './verify';

/** In the order in which they run. */
export const BENCHES: readonly Bench[] = [
  lua,
  designs,
  http,
  processes,
  settle,
  create,
  growth,
  overload,
  events,
  verify,
  soak,
];
