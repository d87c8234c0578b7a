import { dealtCreation, stepsOverParts } from './rain-steps';
import { keepsItsPromise } from './stories';

describe('a system with rains over parts', () => {
  keepsItsPromise({
    beginnings: dealtCreation,
    steps: stepsOverParts,
    share: 0.4,
    seen: ['won', 'already', 'sold-out', 'closed', 'unavailable', 'top-up', 'paid'],
  });
});
