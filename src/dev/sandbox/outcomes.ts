import type { Order } from '../conformance/receiver-client';

export interface Payout {
  readonly order: Order;
  readonly externalId: string;
  readonly at: string;
}

/** `later` is true when the payout is older than the time that slow things take here. */
export interface Asked {
  readonly by: 'GET' | 'PUT';
  readonly first: boolean;
  readonly later: boolean;
}

export type Reply = readonly [status: number, body: Readonly<Record<string, unknown>>];

/** Undefined leaves the caller without an answer. */
type Outcome = (payout: Payout, asked: Asked) => Reply | undefined;

const echo = (state: string, { order: { payoutId, userId, amount, currency }, externalId }: Payout) => ({
  state,
  payoutId,
  userId,
  amount,
  currency,
  externalId,
});

const paid: Outcome = (payout) => [200, echo('paid', payout)];

const refused =
  (code: string): Outcome =>
  (payout) => [422, { ...echo('refused', payout), code }];

/** Each name is the beginning of a user id. `docs/payouts.md` has the list. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  'sbx-paid': paid,
  'sbx-timeout-after-effect': (payout, asked) => (asked.first ? undefined : paid(payout, asked)),
  'sbx-twice': paid,
  'sbx-needs-user': (payout, asked) =>
    asked.later
      ? paid(payout, asked)
      : [202, { ...echo('needs-user', payout), action: 'Confirm the transfer in the app of the sandbox.' }],
  'sbx-refused': refused('user-closed'),
  'sbx-new-code': (payout) => [422, { ...echo('refused', payout), code: 'risk-control-7' }],
  'sbx-slow': (payout, asked) => (asked.later ? paid(payout, asked) : [202, echo('processing', payout)]),
  'sbx-returned': (payout, asked) => (asked.later ? [200, echo('returned', payout)] : paid(payout, asked)),
  'sbx-lies-about-amount': (payout) => [200, { ...echo('paid', payout), amount: '999.99' }],
  'sbx-not-found-yet': (payout, asked) => {
    if (asked.later) return paid(payout, asked);
    return asked.by === 'PUT' ? [503, {}] : [404, { code: 'not-found' }];
  },
  unknown: refused('user-unknown'),
  closed: refused('user-closed'),
};

export const OUTCOME_NAMES = Object.keys(OUTCOMES);

/** Users that no outcome names are paid. */
export function replyTo(payout: Payout, asked: Asked, currency: string): Reply | undefined {
  const { userId } = payout.order;
  if (payout.order.currency !== currency) return refused('currency')(payout, asked);
  const name = OUTCOME_NAMES.find((outcome) => userId === outcome || userId.startsWith(`${outcome}-`));
  return OUTCOMES[name ?? 'sbx-paid']!(payout, asked);
}

/** The lines of the daily file for a payout. */
export const timesInFile = ({ order: { userId } }: Payout): number =>
  userId.startsWith('sbx-twice') ? 2 : 1;
