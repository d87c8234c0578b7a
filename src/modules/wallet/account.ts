/** Whose money it is: a user's, an activity's until it is handed out, or the world's outside the system. */
export type AccountKind = 'wallet' | 'escrow' | 'funding';

export type AccountStatus = 'active' | 'frozen';

export interface Account {
  readonly id: string;
  readonly kind: AccountKind;
  readonly status: AccountStatus;
  readonly balanceMinor: bigint;
}

export type TransferKind = 'deposit' | 'fund' | 'top-up' | 'credit' | 'void' | 'refund';

/** Money on its way from one account to another. */
export interface Transfer {
  readonly kind: TransferKind;
  /** What it is made for, unique within its kind: an idempotency key's id, an activity's id, a top-up's id, a claim's id. */
  readonly sourceId: string;
  readonly activityId: string | null;
  readonly debitAccountId: string;
  readonly creditAccountId: string;
  readonly amountMinor: bigint;
}
