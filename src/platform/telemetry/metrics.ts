import { Injectable } from '@nestjs/common';
import {
  collectDefaultMetrics,
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';

/**
 * The metrics of this process. Declare one beside the code that counts, in a constructor:
 * `this.won = metrics.counter({ name: 'grabs_won_total', help: '…' })`. A name can be declared once.
 */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  counter<Label extends string>(configuration: CounterConfiguration<Label>): Counter<Label> {
    return new Counter({ ...configuration, registers: [this.registry] });
  }

  gauge<Label extends string>(configuration: GaugeConfiguration<Label>): Gauge<Label> {
    return new Gauge({ ...configuration, registers: [this.registry] });
  }

  histogram<Label extends string>(configuration: HistogramConfiguration<Label>): Histogram<Label> {
    return new Histogram({ ...configuration, registers: [this.registry] });
  }

  /** All values in the text format of Prometheus. */
  expose(): Promise<string> {
    return this.registry.metrics();
  }
}
