import { ALERT_RULES, NOT_ON_THE_WALL, SHOWN_RULES } from '../../src/extensions/overview/alerts/alert-rules';
import { AlertEvaluation } from '../../src/extensions/overview/alerts/alert-evaluation';
import { runbookPage } from '../../src/extensions/overview/alerts/runbook-page';
import type { Counted, Series as Measured } from '../../src/extensions/overview/counted';
import { WORDS } from '../harness/console-words';
import { alerts, read } from './deployed';
import { EVAL_MINUTES, HARMS, HEALTHY, type Series, STEP_SECONDS } from './harms';

/** Labels that say which process was asked. */
const OF_PROMETHEUS = ['job', 'instance', 'process'];

const SHOWN = SHOWN_RULES.map(({ alert }) => alert);

it('The wall evaluates the rules that Prometheus has, and links to the sections of the runbook (otherwise run: node deploy/prometheus/wall-rules.mjs)', () => {
  const ours = ALERT_RULES.map(({ alert, severity, expr, summary, forSeconds }) => ({
    alert,
    severity,
    expr,
    summary,
    forSeconds,
  }));
  const theirs = alerts.map(({ alert, expr, labels, annotations, for: span = '0s' }) => ({
    alert,
    severity: labels.severity,
    expr,
    summary: annotations.summary,
    forSeconds: parseInt(span, 10) * (span.endsWith('m') ? 60 : 1),
  }));
  expect(ours).toEqual(theirs);
  const runbook = read('docs', 'runbook.md');
  for (const rule of ALERT_RULES) expect(runbook).toContain(`## ${rule.alert}\n\n${rule.runbook}\n`);
});

it('Every alert is shown on the wall, or is in the list of those that it cannot show, with the reason', () => {
  expect([...SHOWN, ...Object.keys(NOT_ON_THE_WALL)].sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  expect(SHOWN.length).toBeGreaterThan(30);
  for (const reason of Object.values(NOT_ON_THE_WALL)) expect(reason).toMatch(/^[A-Z].+\.$/);
});

it('The wall says of an alert in English what its rule says, and has a section of the runbook for it', () => {
  const page = runbookPage();
  for (const { alert, summary } of SHOWN_RULES) {
    expect([alert, WORDS.en.signs.alerts[alert as never]]).toEqual([alert, summary]);
    expect(page).toContain(`<section id="${alert.toLowerCase()}">`);
  }
});

describe('the wall, over the metrics of one process,', () => {
  it('fires no alert while the system is healthy', () => {
    expect(firingOver({})).toEqual([]);
  });

  it.each(SHOWN)(
    'fires %s when the fault occurs for which Prometheus fires it, and says what it is about',
    (alert) => {
      const [harm, labels = {}] = HARMS[alert]!;
      const own = Object.fromEntries(
        Object.entries(labels).filter(([name]) => !OF_PROMETHEUS.includes(name)),
      );
      expect(firingOver(harm)).toContainEqual({ alert, labels: own });
    },
  );
});

/** What fires at the end of the time that promtool is given. */
function firingOver(harm: Series): unknown[] {
  const evaluation = new AlertEvaluation();
  const series = Object.entries({ ...HEALTHY, ...harm }).map(([text, values]) => ({
    ...measuredBy(text),
    values: expanded(values),
  }));
  let firing: string[] = [];
  for (let step = 0; step * STEP_SECONDS <= EVAL_MINUTES * 60; step++) {
    const counted = new Map<string, Measured[]>();
    for (const { metric, labels, values } of series)
      counted.set(metric, [...(counted.get(metric) ?? []), { labels, value: values[step]! }]);
    firing = evaluation.look(counted satisfies Counted, step * STEP_SECONDS);
  }
  return firing.map((text) => JSON.parse(text) as unknown);
}

function measuredBy(text: string): { metric: string; labels: Record<string, string> } {
  const [, metric, inside = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(text)!;
  const labels = Array.from(inside.matchAll(/(\w+)="([^"]*)"/g), ([, label, value]) => [label!, value!]);
  return { metric: metric!, labels: Object.fromEntries(labels) as Record<string, string> };
}

/** promtool's notation: `4x3` is four fours, `0+5x2` is 0, 5 and 10. */
const expanded = (values: string): number[] =>
  values.split(' ').flatMap((part) => {
    const [, start, step = '0', times] = /^(-?[\d.e]+)([+-][\d.]+)?x(\d+)$/.exec(part)!;
    return Array.from({ length: Number(times) + 1 }, (_, i) => Number(start) + i * Number(step));
  });
