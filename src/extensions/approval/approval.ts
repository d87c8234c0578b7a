/**
 * A deed that may need a second person, by its name in the audit log. It is carried out with the amount of the
 * approval and with `terms`, which hold more than their types name: a creation keeps its whole body.
 */
export type Wish =
  | {
      readonly action: 'wallet.deposit';
      /** The owner of the wallet. */
      readonly subjectId: string;
      readonly terms: { readonly reference?: string };
    }
  | {
      readonly action: 'dead-letter.void';
      /** The dead letter. */
      readonly subjectId: string;
      readonly terms: VoidTerms;
    }
  | {
      readonly action: 'activity.create';
      /** The sponsor. */
      readonly subjectId: string;
      readonly terms: CreationTerms;
    }
  | {
      readonly action: 'activity.top-up';
      /** The activity. */
      readonly subjectId: string;
      readonly terms: TopUpTerms;
    }
  | {
      readonly action: 'payout.reserve';
      /** The id of the payout. */
      readonly subjectId: string;
      readonly terms: PayoutTerms;
    }
  | {
      readonly action: 'payout.resolve';
      /** The id of the payout. */
      readonly subjectId: string;
      readonly terms: PayoutTerms & ResolutionTerms;
    };

type SplitChoice =
  | { readonly kind: 'random'; readonly min?: string; readonly max?: string }
  | { readonly kind: 'equal' }
  | { readonly kind: 'tiers'; readonly tiers: { readonly amount: string; readonly count: number }[] };

/** The body of a creation, and the sponsor that it left out. */
export interface CreationTerms {
  readonly name: string;
  readonly sponsorId: string;
  readonly totalAmount: string;
  readonly packetCount: number;
  readonly split: SplitChoice;
  readonly opensAt: string;
  readonly closesAt: string;
  readonly parts?: number;
  readonly expectedTapsPerSecond?: number;
}

export interface TopUpTerms {
  readonly amount: string;
  readonly packetCount: number;
  readonly split?: SplitChoice;
}

/** The state of the letter when the void was requested, and the reason. */
export interface VoidTerms {
  readonly activityId: string;
  readonly claimId: string;
  readonly userId: string;
  readonly reason: string;
  readonly status: 'open' | 'resolved';
}

export interface PayoutTerms {
  readonly channelId: string;
  readonly userId: string;
  /** Of a rain: how many wins it gathers. */
  readonly claims?: number;
}

/** How a payout ended, by evidence from outside. */
export interface ResolutionTerms {
  readonly outcome: 'paid' | 'refused';
  readonly evidence: string;
  readonly lastSentAt?: string;
  readonly externalId?: string;
}

export type NewApproval = Wish & {
  readonly amountMinor: bigint;
  /**
   * The source of the transfer of a deposit, void or payout, fixed here so that the ledger accepts it only
   * once. The source of any other is what it creates.
   */
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
  /** The activity or top-up that was created. */
  readonly resultId: string | null;
};
