import type { DeedWish } from '../../core/second-person';

/** An `expired` approval is a pending one whose time has run out. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** A deed that someone has requested, and the decision on it. */
export interface Approval extends Omit<DeedWish, 'currency'> {
  readonly id: string;
  readonly status: ApprovalStatus;
  /** Null for the default. */
  readonly currency: string | null;
  readonly askedBy: string;
  readonly askedAt: Date;
  readonly expiresAt: Date;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  /** Why it was rejected, if a reason was given. */
  readonly reason: string | null;
  /** The activity or top-up that was created. */
  readonly resultId: string | null;
}
