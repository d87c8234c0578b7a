import type { DeedDescription } from '../../../core/second-person';
import { balanceLimitReached, insufficientFunds, walletFrozen } from '../../../core/wallet';
import type { ResolvePayoutBody } from './outcome.dto';
import { ownPayout, payoutNotFound, payoutNotOpen, payoutSentAgain } from './payout.error';

export interface ReservationTerms {
  readonly channelId: string;
  readonly userId: string;
  /** For a payout of a rain: the number of wins that it combines. */
  readonly claims?: number;
}

export type ResolutionTerms = ResolvePayoutBody & Pick<ReservationTerms, 'channelId' | 'userId'>;

export const RESERVATION: DeedDescription = {
  action: 'payout.reserve',
  terms:
    '`channelId` and `userId` of a payout, with `claims`, the number of its wins, where a rain makes it, and ' +
    'with `outcome`, `evidence` and `externalId` where it is resolved',
  problems: [payoutNotOpen, insufficientFunds, walletFrozen, balanceLimitReached],
  rejectionProblems: [payoutNotOpen],
};

export const RESOLUTION: DeedDescription = {
  action: 'payout.resolve',
  problems: [payoutNotFound, payoutNotOpen, payoutSentAgain, ownPayout, balanceLimitReached],
};

export const payoutDeeds = [RESERVATION, RESOLUTION];
