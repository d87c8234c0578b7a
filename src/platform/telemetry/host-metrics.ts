import cluster from 'node:cluster';
import { Injectable } from '@nestjs/common';
import { type Metric, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import { AppConfig } from '../config';
import { type Answer, answerSiblings, askSiblings } from '../processes';
import { Metrics } from './metrics';

type Counted = MetricObjectWithValues<MetricValue<string>>;

/**
 * The metrics of all processes that share a port, each with its number. A sum of gauges often means
 * nothing, and a sum of counters would fall whenever a process is replaced.
 */
@Injectable()
export class HostMetrics {
  private readonly isOneOfMany: boolean;

  constructor(
    private readonly metrics: Metrics,
    { API_PROCESSES }: AppConfig,
  ) {
    this.isOneOfMany = API_PROCESSES > 1 && cluster.isWorker;
    if (this.isOneOfMany) answerSiblings(() => metrics.read());
  }

  /** The text format of Prometheus. */
  async expose(): Promise<string> {
    return this.isOneOfMany ? textOf(await askSiblings()) : this.metrics.expose();
  }
}

function textOf(answers: readonly Answer[]): Promise<string> {
  const joined = new Map<string, Counted>();
  for (const { process, value } of answers)
    for (const metric of value as Counted[]) {
      const { values, ...about } = metric;
      const known = joined.get(metric.name)?.values ?? [];
      joined.set(metric.name, {
        ...about,
        values: [...known, ...values.map((one) => numbered(one, process))],
      });
    }
  const registry = new Registry();
  for (const metric of joined.values())
    registry.registerMetric({ name: metric.name, get: () => metric } as unknown as Metric);
  return registry.metrics();
}

const numbered = (value: MetricValue<string>, process: number): MetricValue<string> => ({
  ...value,
  labels: { ...value.labels, process },
});
