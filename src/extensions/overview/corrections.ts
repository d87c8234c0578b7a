/** The counters of {@link Metrics} for corrections, and the labels that select their values. */
const COUNTERS = {
  'reservations-swept': { counter: 'hongbao_reservations_swept_total' },
  'redis-corrected': { counter: 'hongbao_redis_corrections_total' },
  'claims-offered-again': { counter: 'hongbao_claims_swept_total' },
  'claims-paid-without-queue': { counter: 'hongbao_claims_settled_without_queue_total' },
  'rains-loaded': { counter: 'hongbao_activities_mended_total', how: 'loaded' },
  'rains-extended': { counter: 'hongbao_activities_mended_total', how: 'extended' },
  'rains-rebuilt': { counter: 'hongbao_activities_mended_total', how: 'rebuilt' },
  'rains-closed': { counter: 'hongbao_activities_mended_total', how: 'closed' },
} as const;

export type CorrectionKind = keyof typeof COUNTERS;

export const CORRECTIONS = Object.keys(COUNTERS) as CorrectionKind[];

interface Counted {
  readonly name: string;
  readonly values: readonly { readonly value: number; readonly labels: object }[];
}

/** The corrections since this process started. */
export function correctionsIn(metrics: readonly Counted[]): Map<CorrectionKind, number> {
  return new Map(CORRECTIONS.map((kind) => [kind, countOf(kind, metrics)]));
}

function countOf(kind: CorrectionKind, metrics: readonly Counted[]): number {
  const { counter, ...labels } = COUNTERS[kind];
  const values = metrics.find(({ name }) => name === counter)?.values ?? [];
  const counted = values.filter((one) =>
    Object.entries(labels).every(([label, value]) => Reflect.get(one.labels, label) === value),
  );
  return counted.reduce((sum, { value }) => sum + value, 0);
}
