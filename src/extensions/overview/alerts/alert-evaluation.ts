import type { Counted, Series } from '../counted';
import { SHOWN_RULES, type ShownRule } from './alert-rules';

/** An alert, and what it is about, such as the channel. */
export interface FiringAlert {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Evaluates the rules repeatedly over the metrics of one process, as Prometheus does. */
export class AlertEvaluation {
  /** When its condition began to be met, in seconds, by the text of each alert. */
  private readonly metSince = new Map<string, number>();
  private readonly counters = new Map<string, { readonly value: number; readonly roseAt: number }>();

  /** Returns the texts of the alerts that fire now: {@link FiringAlert} as JSON. */
  look(counted: Counted, nowSeconds: number): string[] {
    const met = new Map(
      SHOWN_RULES.flatMap((rule) =>
        this.metBy(rule, counted, nowSeconds).map((text) => [text, rule.forSeconds] as const),
      ),
    );
    for (const text of this.metSince.keys()) if (!met.has(text)) this.metSince.delete(text);
    for (const text of met.keys()) if (!this.metSince.has(text)) this.metSince.set(text, nowSeconds);
    const isPending = ([text, forSeconds]: readonly [string, number]) =>
      nowSeconds - this.metSince.get(text)! < forSeconds;
    return [...met].filter((one) => !isPending(one)).map(([text]) => text);
  }

  /** The texts of the alerts of a rule whose condition is met. */
  private metBy({ alert, condition }: ShownRule, counted: Counted, nowSeconds: number): string[] {
    const { by, measure, isMet, windowSeconds } = condition;
    const series = measure(counted, nowSeconds).filter((one) =>
      windowSeconds === undefined
        ? isMet(one.value)
        : nowSeconds - this.lastRise(alert, one, nowSeconds) < windowSeconds,
    );
    return series.map(({ labels }) => {
      const about = by.map((name) => [name, String(labels[name])] as const);
      const firing: FiringAlert = { alert, labels: Object.fromEntries<string>(about) };
      return JSON.stringify(firing);
    });
  }

  /** When this counter was last seen to rise, in seconds. */
  private lastRise(alert: string, { labels, value }: Series, nowSeconds: number): number {
    const key = alert + JSON.stringify(labels);
    const before = this.counters.get(key);
    const roseAt = before && value > before.value ? nowSeconds : (before?.roseAt ?? -Infinity);
    this.counters.set(key, { value, roseAt });
    return roseAt;
  }
}
