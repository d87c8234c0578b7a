import type { TakenOut } from './payout.repository';

/** Payouts of one user that have not ended. */
export const OPEN_MAX = 20;

/** Payouts of one user in a channel within a day. */
export const DAILY_MAX = 100;

/** How many payouts a user may still begin. */
export const roomOf = ({ open, payouts }: TakenOut): number =>
  Math.max(0, Math.min(OPEN_MAX - open, DAILY_MAX - payouts));
