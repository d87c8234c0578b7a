import type { Currency } from '../../../../libs/money';
import type { TakenOut } from './payout.repository';

/** Payouts of one user in a currency that have not ended. */
export const OPEN_MAX = 20;

/** Payouts of one user in a channel within a day. */
export const DAILY_MAX = 100;

/** As much as an account holds. The sums of a day are written as bigint, which is nine times as much. */
const DAY_MINOR_MAX = 10n ** 18n;

/** @param limit of a day, if the channel has one */
export const dayMaxMinor = (limit: string | undefined, currency: Currency): bigint =>
  limit === undefined ? DAY_MINOR_MAX : currency.parse(limit);

/** How many payouts a user may still begin. */
export const roomOf = ({ open, payouts }: TakenOut): number =>
  Math.max(0, Math.min(OPEN_MAX - open, DAILY_MAX - payouts));
