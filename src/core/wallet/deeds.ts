import type { DeedDescription } from '../second-person';
import {
  balanceLimitReached,
  depositNotFound,
  depositKept,
  depositReversed,
  insufficientFunds,
  walletFrozen,
} from './wallet.error';

/** Its subject is the owner of the wallet. */
export const DEPOSIT: DeedDescription = {
  action: 'wallet.deposit',
  terms: '`reference` of a deposit',
  problems: [walletFrozen, balanceLimitReached],
};

/** Its subject is also the owner of the wallet. */
export const REVERSAL: DeedDescription = {
  action: 'wallet.reverse-deposit',
  terms: '`depositId` and `reason` of a reversal',
  problems: [depositNotFound, depositKept, depositReversed, insufficientFunds],
};

export const walletDeeds = [DEPOSIT, REVERSAL];
