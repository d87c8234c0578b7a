import type { MetricObject } from 'prom-client';

/** A value of a metric. */
export interface Series {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number | undefined>>;
}

/** The metrics of this process by name; the series of a histogram by theirs. */
export type Counted = ReadonlyMap<string, readonly Series[]>;

/** @param metrics as {@link Metrics.read} returns them */
export function countedIn(metrics: readonly MetricObject[]): Counted {
  const counted = new Map<string, Series[]>();
  for (const { name, values } of metrics as unknown as readonly Measured[])
    for (const { metricName = name, ...series } of values) {
      const known = counted.get(metricName);
      if (known) known.push(series);
      else counted.set(metricName, [series]);
    }
  return counted;
}

interface Measured {
  readonly name: string;
  readonly values: readonly (Series & { readonly metricName?: string })[];
}

/** A metric, and the values that its labels may have. */
type Selection = readonly [metric: string, labels: Readonly<Record<string, readonly string[]>>];

/** @param selections by what they count */
export const sumsOf = <Kind extends string>(
  counted: Counted,
  selections: Readonly<Record<Kind, Selection>>,
): Map<Kind, number> =>
  new Map(
    (Object.entries(selections) as [Kind, Selection][]).map(([kind, one]) => [kind, sumOf(counted, one)]),
  );

/** Returns the kinds whose count has risen since an earlier reading, and by how much. */
export function risenSince<Kind>(
  before: ReadonlyMap<Kind, number>,
  now: ReadonlyMap<Kind, number>,
): Map<Kind, number> {
  const differences = Array.from(now, ([kind, sum]) => [kind, sum - (before.get(kind) ?? 0)] as const);
  return new Map(differences.filter(([, difference]) => difference > 0));
}

/** Adds up the series of a metric whose labels have one of these values each. */
function sumOf(counted: Counted, [metric, labels]: Selection): number {
  const wanted = (counted.get(metric) ?? []).filter((series) =>
    Object.entries(labels).every(([label, values]) => values.includes(String(series.labels[label]))),
  );
  return wanted.reduce((sum, { value }) => sum + value, 0);
}
