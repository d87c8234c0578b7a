import { conditionOf, type Condition } from './condition';
import rules from './rules.json';

export interface AlertRule {
  readonly alert: string;
  readonly severity: string;
  readonly forSeconds: number;
  /** As Prometheus evaluates it. */
  readonly expr: string;
  readonly summary: string;
  /** Its section of docs/runbook.md. */
  readonly runbook: string;
}

export interface ShownRule extends AlertRule {
  readonly condition: Condition;
}

/** The rules of Prometheus, which `node deploy/prometheus/wall-rules.mjs` copies. */
export const ALERT_RULES: readonly AlertRule[] = rules;

const TREND = 'It needs the trend of five minutes. The length of the queue is a sign of its own.';
const SHARE = 'It needs the answers of all processes together.';

/** Alerts that only Prometheus can evaluate, and why. A test requires that every other alert is shown. */
export const NOT_ON_THE_WALL: Readonly<Record<string, string>> = {
  HongbaoSettlementQueueGrows: TREND,
  HongbaoWebhookQueueGrows: 'It needs the trend of five minutes. Messages that wait are a sign of their own.',
  HongbaoGrabsSlow: `${SHARE} Each rain shows how fast its taps are answered.`,
  HongbaoUnavailable: `${SHARE} The taps that were refused in the last minute are a sign of their own.`,
  HongbaoPoolSaturated: 'It needs only the waits of five minutes, and processes keep the sum of all.',
  HongbaoProgramMissing:
    'Only Prometheus knows which programs it expects. API and worker are signs of their own.',
  HongbaoScrapeMissing: 'Only Prometheus knows which processes it asks.',
  HongbaoBudgetBurnsFast: 'It needs the figures of an hour.',
  HongbaoBudgetBurnsSlowly: 'It needs the figures of six hours.',
};

export const SHOWN_RULES: readonly ShownRule[] = ALERT_RULES.flatMap((rule) => {
  const condition = conditionOf(rule.expr);
  return condition ? [{ ...rule, condition }] : [];
});
