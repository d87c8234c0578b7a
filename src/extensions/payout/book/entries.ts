import type { PayoutRow } from './payout.entity';
import type { PayoutState } from './payout-state';

/** A payout of a wallet that is locked. */
export interface NewPayout {
  readonly channelId: string;
  readonly userId: string;
  readonly walletAccountId: string;
  readonly amountMinor: bigint;
  readonly day: string;
  /** For a payout of a rain: the number of wins that it combines. */
  readonly claims?: number;
}

export interface PayoutChange {
  readonly state: PayoutState;
  readonly externalId?: string;
  readonly code?: string;
  readonly action?: string;
}

/** The plain answer of a channel that has paid. */
export interface Payment {
  readonly id: string;
  readonly call: number;
  readonly createdAt: Date;
  readonly externalId?: string;
}

/** A call for a locked payout that nobody has made yet. */
export interface NewCall extends Pick<PayoutRow, 'id' | 'state'> {
  /** `PUT` asks for the payment, `GET` asks about it. */
  readonly method: 'GET' | 'PUT';
}

export interface CallMoment {
  /** A later call of the payout has a higher number. */
  readonly no: number;
  readonly at: Date;
}
