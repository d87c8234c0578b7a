import { type Counted, sumsOf } from './counted';

const grabs = (outcome: string) => ['hongbao_grabs_total', { outcome: [outcome] }] as const;
const problems = (...code: string[]) => ['hongbao_http_problems_total', { code }] as const;

/** The counters of refused taps, by the reason that a user is given. */
const COUNTERS = {
  unavailable: problems(
    'grab.unavailable',
    'grab.lookups_full',
    'grab.backlog_full',
    'activity.loading',
    'activity.newer',
  ),
  'rate-limited': problems('rate_limited'),
  'no-ticket': problems('grab.ticket_required', 'grab.ticket_invalid'),
  'not-open': grabs('not-open'),
  'not-yet': grabs('not-yet'),
  'sold-out': grabs('sold-out'),
  limit: grabs('limit'),
  closed: grabs('closed'),
} as const;

export type RefusalReason = keyof typeof COUNTERS;

export const REFUSAL_REASONS = Object.keys(COUNTERS) as RefusalReason[];

/** How many taps this process has refused since it started. */
export const refusalsIn = (counted: Counted): Map<RefusalReason, number> => sumsOf(counted, COUNTERS);
