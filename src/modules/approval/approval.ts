/** A deed that may need a second person, by its name in the audit log, with all its parameters. */
export type Wish =
  | {
      readonly action: 'wallet.deposit';
      /** The owner of the wallet. */
      readonly subjectId: string;
      readonly terms: { readonly reference?: string };
    }
  | {
      readonly action: 'dead-letter.void';
      /** The id of the dead letter. */
      readonly subjectId: string;
      readonly terms: VoidTerms;
    };

/** The state of the letter when the void was requested, and the reason for the void. */
export interface VoidTerms {
  readonly activityId: string;
  readonly claimId: string;
  readonly userId: string;
  readonly reason: string;
  readonly status: 'open' | 'resolved';
}

export type NewApproval = Wish & {
  readonly amountMinor: bigint;
  /** The source of the coming transfer, fixed here so that the ledger accepts it only once. */
  readonly sourceId: string;
};

/** `expired` is a pending approval whose time is over. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export type Approval = NewApproval & {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly askedBy: string;
  readonly askedAt: Date;
  readonly expiresAt: Date;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
};
