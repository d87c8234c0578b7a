/**
 * The owner's kind: a user, an activity before its money is handed out, a payout channel before its
 * payouts have ended, or the outside world.
 */
export type AccountKind = 'wallet' | 'escrow' | 'outbound' | 'funding';

export type AccountStatus = 'active' | 'frozen';

export interface Account {
  readonly id: string;
  readonly kind: AccountKind;
  readonly status: AccountStatus;
  readonly balanceMinor: bigint;
}

export const TRANSFER_KINDS = [
  ...['deposit', 'reversal', 'fund', 'top-up', 'credit', 'void', 'refund'],
  ...['payout', 'payout-paid', 'payout-refused', 'payout-returned'],
] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];

export interface Transfer {
  readonly kind: TransferKind;
  /** Unique within the kind. The id of an idempotency key, a deposit, an activity, a top-up, a claim
   * or a payout. */
  readonly sourceId: string;
  readonly activityId: string | null;
  readonly debitAccountId: string;
  readonly creditAccountId: string;
  readonly amountMinor: bigint;
}
