import { creation, steps } from './rain-steps';
import { keepsItsPromise } from './stories';

describe('a system with grabs, crashes, amnesia, closers and operators', () => {
  keepsItsPromise({
    beginnings: creation,
    steps,
    seen: [
      'won',
      'already',
      'sold-out',
      'closed',
      'not-open',
      'reserved',
      'unavailable',
      'paid',
      'buried',
      'top-up',
    ],
  });
});
