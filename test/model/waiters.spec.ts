import { smallCreation, stepsOfThoseWhoWait } from './rain-steps';
import { keepsItsPromise } from './stories';

describe('a system with users who wait', () => {
  keepsItsPromise({
    beginnings: smallCreation,
    steps: stepsOfThoseWhoWait,
    seen: ['place', 'nothing to wait for', 'served', 'won while waiting'],
  });
});
