import { Injectable } from '@nestjs/common';
import {
  collectDefaultMetrics,
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  type Metric,
  type MetricObject,
  Registry,
} from 'prom-client';
import { type Timing, Timings } from './timings';

const PREFIX = 'hongbao_';

/** Prometheus reserves such names for counters. */
const MISNAMED = ['active_handles_total', 'active_requests_total', 'active_resources_total'];

interface Named {
  readonly name: `${typeof PREFIX}${string}`;
}

/** Clients cannot choose the value of a label, so they cannot create series. */
interface Labelled<Value extends string> extends Named {
  readonly help: string;
  readonly label: string;
  readonly values: readonly Value[];
}

/**
 * The metrics of this process. Declare each next to the code that counts, in a constructor:
 * `this.swept = metrics.counter({ name: 'hongbao_claims_swept_total', help: '…' })`. A name is
 * declared once, and has a row in docs/metrics.md. With a label, it is declared with all values,
 * begins at 0 for each, and is used by them: `this.settled.paid.inc(7)`.
 */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();

  /**
   * Adds memory, processor time and pauses of Node. For a program, once: the observers behind them run until the
   * process ends, and keep this registry alive.
   */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry, prefix: PREFIX });
    for (const name of MISNAMED) this.registry.removeSingleMetric(`${PREFIX}nodejs_${name}`);
  }

  counter<Label extends string>(configuration: CounterConfiguration<Label> & Named): Counter<Label> {
    return new Counter({ ...configuration, registers: [this.registry] });
  }

  counters<Value extends string>({
    label,
    values,
    ...rest
  }: Labelled<Value>): Record<Value, Counter.Internal> {
    const counter = this.counter({ ...rest, labelNames: [label] });
    return bind(values, (value) => {
      counter.inc({ [label]: value }, 0);
      return counter.labels(value);
    });
  }

  gauge<Label extends string>(configuration: GaugeConfiguration<Label> & Named): Gauge<Label> {
    return new Gauge({ ...configuration, registers: [this.registry] });
  }

  gauges<Value extends string>(configuration: Labelled<Value>): Record<Value, Gauge.Internal<string>> {
    const gauges = this.observations(configuration);
    for (const value of configuration.values) gauges[value].set(0);
    return gauges;
  }

  /** A gauge that has no value until it is set, where 0 would mean a fault that nobody has seen. */
  observation(configuration: GaugeConfiguration<never> & Named): Gauge<never> {
    const gauge = this.gauge(configuration);
    gauge.remove();
    return gauge;
  }

  /** The same for each value of a label. */
  observations<Value extends string>({
    label,
    values,
    ...rest
  }: Labelled<Value>): Record<Value, Gauge.Internal<string>> {
    const gauge = this.gauge({ ...rest, labelNames: [label] });
    return bind(values, (value) => gauge.labels(value));
  }

  timing({ name, help }: Named & { readonly help: string }): Timing {
    return this.histogram(new Timings<'all'>(name, help, undefined, ['all'])).all;
  }

  timings<Value extends string>({
    name,
    help,
    label,
    values,
  }: Labelled<Value>): Readonly<Record<Value, Timing>> {
    return this.histogram(new Timings(name, help, label, values));
  }

  /** The text format of Prometheus. */
  expose(): Promise<string> {
    return this.registry.metrics();
  }

  /** The values go to another process. */
  read(): Promise<MetricObject[]> {
    return this.registry.getMetricsAsJSON();
  }

  private histogram<Value extends string>(timings: Timings<Value>): Readonly<Record<Value, Timing>> {
    this.registry.registerMetric(timings as unknown as Metric);
    return timings.by;
  }
}

function bind<Value extends string, T>(values: readonly Value[], to: (value: Value) => T): Record<Value, T> {
  return Object.fromEntries(values.map((value) => [value, to(value)])) as Record<Value, T>;
}
