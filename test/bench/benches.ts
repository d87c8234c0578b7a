import type { Bench } from './bench';
import { books } from './books';
import { create } from './create';
import { designs } from './designs';
import { events } from './events';
import { gateway } from './gateway';
import { greedy } from './greedy';
import { growth } from './growth';
import { http } from './http';
import { lua } from './lua';
import { overload } from './overload';
import { pages } from './pages';
import { parts } from './parts';
import { payouts } from './payouts';
import { returns } from './returns';
import { settle } from './settle';
import { soak } from './soak';
import { storm } from './storm';
import { terms } from './terms';
import { withdraw } from './withdraw';

export const BENCHES: readonly Bench[] = [
  lua,
  parts,
  designs,
  http,
  terms,
  settle,
  payouts,
  withdraw,
  books,
  create,
  returns,
  growth,
  overload,
  greedy,
  storm,
  events,
  gateway,
  pages,
  soak,
];
