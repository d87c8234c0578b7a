import { busy } from '../../platform/http';
import { activityEnded, activityNotFound, creationUnderWay, tooManyActivities } from '../activity';
import { backingProblems } from '../currency';
import { outletProblems } from '../outlet';
import type { DeedDescription } from '../second-person';
import {
  balanceLimitReached,
  budgetExceeded,
  deadLetterNotFound,
  deadLetterNotOpen,
  insufficientFunds,
  walletFrozen,
} from '../wallet';

export const VOID: DeedDescription = {
  action: 'dead-letter.void',
  terms: '`reason`, `status`, `claimId`, `activityId` and `userId` of a void',
  problems: [deadLetterNotFound, deadLetterNotOpen, balanceLimitReached, busy, creationUnderWay],
};

/** Its subject is the sponsor, because there is no activity yet. */
export const CREATION: DeedDescription = {
  action: 'activity.create',
  noun: 'wallet',
  unlogged: ['audience'],
  problems: [budgetExceeded, insufficientFunds, walletFrozen, creationUnderWay, tooManyActivities, busy],
};

export const TOP_UP: DeedDescription = {
  action: 'activity.top-up',
  problems: [
    ...[activityNotFound, activityEnded, budgetExceeded, insufficientFunds, walletFrozen],
    ...[creationUnderWay, busy],
  ],
};

/** Includes the problems of the outlet and of backings, once their code is loaded. */
export const lifecycleDeeds = (): DeedDescription[] => [
  VOID,
  ...[CREATION, TOP_UP].map((deed) => ({
    ...deed,
    problems: [...deed.problems, ...outletProblems(), ...backingProblems()],
  })),
];
