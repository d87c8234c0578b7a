import { type Counted, sumsOf } from './counted';

/** The counters of {@link Metrics} for corrections, and the labels that select their values. */
const COUNTERS = {
  'reservations-swept': ['hongbao_reservations_swept_total', {}],
  'redis-corrected': ['hongbao_redis_corrections_total', {}],
  'claims-offered-again': ['hongbao_claims_swept_total', {}],
  'claims-paid-without-queue': ['hongbao_claims_settled_without_queue_total', {}],
  'rains-loaded': ['hongbao_activities_mended_total', { how: ['loaded'] }],
  'rains-extended': ['hongbao_activities_mended_total', { how: ['extended'] }],
  'rains-rebuilt': ['hongbao_activities_mended_total', { how: ['rebuilt'] }],
  'rains-closed': ['hongbao_activities_mended_total', { how: ['closed'] }],
} as const;

export type CorrectionKind = keyof typeof COUNTERS;

export const CORRECTIONS = Object.keys(COUNTERS) as CorrectionKind[];

/** The corrections since this process started. */
export const correctionsIn = (counted: Counted): Map<CorrectionKind, number> => sumsOf(counted, COUNTERS);
