import type { MetricObjectWithValues, MetricValueWithName } from 'prom-client';

/** Seconds, from a script call in Redis to the longest wait for an answer. */
export const BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Timing {
  /** One bucket for each bound, and one above them all. */
  private readonly buckets = new Float64Array(BOUNDS_SECONDS.length + 1);
  private total = 0;
  private seconds = 0;

  get count(): number {
    return this.total;
  }

  /** @param startMs the start, by `performance.now()` */
  since(startMs: number): void {
    this.observe((performance.now() - startMs) / 1_000);
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS_SECONDS.length && seconds > BOUNDS_SECONDS[bucket]!) bucket++;
    this.buckets[bucket]! += 1;
    this.total += 1;
    this.seconds += seconds;
  }

  samples(name: string, labels: Record<string, string>): MetricValueWithName<string>[] {
    let upTo = 0;
    const bounds = [...BOUNDS_SECONDS, '+Inf'].map((le, i) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: String(le) },
      value: (upTo += this.buckets[i]!),
    }));
    return [
      ...bounds,
      { metricName: `${name}_sum`, labels, value: this.seconds },
      { metricName: `${name}_count`, labels, value: this.total },
    ];
  }
}

/**
 * A histogram whose label has a few known values. The histogram of prom-client makes three objects per
 * observation, a cost that every tap would pay.
 */
export class Timings<Value extends string> {
  readonly type = 'histogram';
  readonly by: Readonly<Record<Value, Timing>>;

  constructor(
    readonly name: string,
    readonly help: string,
    private readonly label: string | undefined,
    private readonly values: readonly Value[],
  ) {
    this.by = Object.fromEntries(values.map((value) => [value, new Timing()])) as Record<Value, Timing>;
  }

  get(): Promise<Pick<MetricObjectWithValues<MetricValueWithName<string>>, 'name' | 'help' | 'values'>> {
    const { name, help, type, label } = this;
    const values = this.values.flatMap((value) =>
      this.by[value].samples(name, label === undefined ? {} : { [label]: value }),
    );
    return Promise.resolve({ name, help, type, values });
  }
}

export const ENDINGS = ['done', 'failed'] as const;

/** Observes how long the work took to succeed or fail. */
export async function timed<T>(
  times: Readonly<Record<(typeof ENDINGS)[number], Timing>>,
  work: () => Promise<T>,
): Promise<T> {
  const startMs = performance.now();
  try {
    const result = await work();
    times.done.since(startMs);
    return result;
  } catch (error) {
    times.failed.since(startMs);
    throw error;
  }
}
