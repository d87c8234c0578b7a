/** What may need a second person, by the name that the audit log has for it, with all that doing it takes. */
export type Wish =
  | {
      readonly action: 'wallet.deposit';
      /** Whose wallet. */
      readonly subjectId: string;
      readonly terms: { readonly reference?: string };
    }
  | {
      readonly action: 'dead-letter.void';
      /** The letter. */
      readonly subjectId: string;
      readonly terms: VoidTerms;
    };

/** As its asker has seen the letter, and why it should be void. */
export interface VoidTerms {
  readonly activityId: string;
  readonly claimId: string;
  readonly userId: string;
  readonly reason: string;
  readonly status: 'open' | 'resolved';
}

export type NewApproval = Wish & {
  readonly amountMinor: bigint;
  /** Of the transfer that it becomes, so that the ledger takes it once, whatever happens. */
  readonly sourceId: string;
};

/** `expired` is a pending one whose time is over. */
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
