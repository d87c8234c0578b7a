import { invariant } from '../../../../libs/invariant';

/** Most payouts pass these states in this order. */
export const PAYOUT_STATES = [
  'review',
  'reserved',
  'sending',
  'unknown',
  'processing',
  'needs-user',
  'paid',
  'refused',
  'returned',
] as const;
export type PayoutState = (typeof PAYOUT_STATES)[number];

/**
 * The states that may follow each state. A payout that has ended never changes, except that a channel
 * may return what it had paid. The money is in the wallet in `review`, `refused` and `returned`,
 * outside in `paid`, and in the outbound account in all others.
 */
export const NEXT_STATES: Readonly<Record<PayoutState, readonly PayoutState[]>> = {
  review: ['reserved', 'refused'],
  reserved: ['sending', 'processing', 'needs-user', 'paid', 'refused'],
  sending: ['reserved', 'unknown', 'processing', 'needs-user', 'paid', 'refused'],
  unknown: ['sending', 'processing', 'needs-user', 'paid', 'refused'],
  processing: ['needs-user', 'paid', 'refused'],
  'needs-user': ['processing', 'paid', 'refused'],
  paid: ['returned'],
  refused: [],
  returned: [],
};

export const OUTCOMES = ['processing', 'needs-user', 'paid', 'refused', 'returned'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const hasEnded = (state: PayoutState): boolean =>
  state === 'paid' || state === 'refused' || state === 'returned';

/** The channel has it, and nobody knows the outcome. */
export const isUnderWay = (state: PayoutState): boolean => state === 'processing' || state === 'needs-user';

export const mayFollow = (state: PayoutState, next: PayoutState): boolean =>
  NEXT_STATES[state].includes(next);

export const statesBefore = (next: PayoutState): PayoutState[] =>
  PAYOUT_STATES.filter((state) => mayFollow(state, next));

export function requireMayFollow(
  { id, state }: { readonly id: string; readonly state: PayoutState },
  next: PayoutState,
): void {
  invariant(mayFollow(state, next), () => `Payout ${id} is ${state}, not to be ${next}.`);
}
