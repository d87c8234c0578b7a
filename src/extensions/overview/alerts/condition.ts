import type { Counted, Series } from '../counted';

/**
 * A condition over the metrics of one process. Processes need not know each other's: `max`, `min`, and a
 * `sum` that only has to be above zero, hold for all processes together if they hold for one.
 */
export interface Condition {
  /** The labels that distinguish its alerts, without those that Prometheus adds. */
  readonly by: readonly string[];
  /** How long a counter that has risen counts; undefined for conditions about the present. */
  readonly windowSeconds?: number;
  readonly measure: (counted: Counted, nowSeconds: number) => readonly Series[];
  readonly isMet: (value: number) => boolean;
}

const BY = String.raw`(?: by \(([\w, ]+)\) )?`;
const METRIC = String.raw`(hongbao_\w+)(?:\{([^}]*)\})?`;
const LIMIT = String.raw` (>|<|==) ([\d.]+)`;

/** `max by (channel) (hongbao_payout_circuit_open) == 1`, `max(abs(…)) > 1`, `time() - max by (task) (…) > 300` */
const PRESENT = new RegExp(String.raw`^(time\(\) - )?(?:(?:max|min)${BY}\()?(abs\()?${METRIC}\)*${LIMIT}$`);
/** `max(hongbao_journal_longest_entries / hongbao_journal_max_entries) > 0.5` */
const RATIO = new RegExp(String.raw`^max\(${METRIC} / ${METRIC}\)${LIMIT}$`);
/** `sum by (code) (increase(hongbao_http_problems_total{status="500"}[5m])) > 0` */
const RISEN = new RegExp(String.raw`^sum${BY}\(increase\(${METRIC}\[(\d+)m\]\)\) > 0$`);

/** Reads the forms of expressions that a single process can evaluate; undefined for all others. */
export function conditionOf(expr: string): Condition | undefined {
  return presentIn(expr) ?? ratioIn(expr) ?? risenIn(expr);
}

function presentIn(expr: string): Condition | undefined {
  const [, age, by, abs, metric, labels, sign, limit] = PRESENT.exec(expr) ?? [];
  if (metric === undefined) return undefined;
  const select = selector(metric, labels);
  const read = (value: number, nowSeconds: number) =>
    age ? nowSeconds - value : abs ? Math.abs(value) : value;
  return {
    by: namesIn(by),
    measure: (counted, nowSeconds) =>
      select(counted).map((one) => ({ ...one, value: read(one.value, nowSeconds) })),
    isMet: comparison(sign!, Number(limit)),
  };
}

function ratioIn(expr: string): Condition | undefined {
  const [, part, , whole, , sign, limit] = RATIO.exec(expr) ?? [];
  if (part === undefined || whole === undefined) return undefined;
  return {
    by: [],
    measure: (counted) => {
      const [one, all] = [part, whole].map((metric) => counted.get(metric)?.[0]?.value);
      return one === undefined || all === undefined ? [] : [{ value: one / all, labels: {} }];
    },
    isMet: comparison(sign!, Number(limit)),
  };
}

function risenIn(expr: string): Condition | undefined {
  const [, by, metric, labels, minutes] = RISEN.exec(expr) ?? [];
  if (metric === undefined) return undefined;
  return {
    by: namesIn(by),
    windowSeconds: 60 * Number(minutes),
    measure: selector(metric, labels),
    isMet: comparison('>', 0),
  };
}

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '==': (a, b) => a === b,
};

const comparison = (sign: string, limit: number) => (value: number) => COMPARISONS[sign]!(value, limit);

const PROMETHEUS_LABELS = ['job', 'instance', 'process'];

const namesIn = (by = ''): string[] =>
  by.split(', ').filter((name) => name !== '' && !PROMETHEUS_LABELS.includes(name));

function selector(metric: string, text = ''): (counted: Counted) => readonly Series[] {
  const matchers = Array.from(text.matchAll(/(\w+)(!?=)"([^"]*)"/g), ([, label, sign, value]) => {
    const isWanted = sign === '=';
    return ({ labels }: Series) => (labels[label!] === value) === isWanted;
  });
  return (counted) => (counted.get(metric) ?? []).filter((series) => matchers.every((fits) => fits(series)));
}
