/** The owner's kind: a user, an activity before its money is handed out, or the outside world. */
export type AccountKind = 'wallet' | 'escrow' | 'funding';

export type AccountStatus = 'active' | 'frozen';

export interface Account {
  readonly id: string;
  readonly kind: AccountKind;
  readonly status: AccountStatus;
  readonly balanceMinor: bigint;
}

export type TransferKind = 'deposit' | 'fund' | 'top-up' | 'credit' | 'void' | 'refund';

export interface Transfer {
  readonly kind: TransferKind;
  /** Unique within the kind. The id of an idempotency key, an activity, a top-up or a claim. */
  readonly sourceId: string;
  readonly activityId: string | null;
  readonly debitAccountId: string;
  readonly creditAccountId: string;
  readonly amountMinor: bigint;
}
