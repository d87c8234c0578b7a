// Writes the alerts and their sections of the runbook for the wall: `node deploy/prometheus/wall-rules.mjs`.
// A test compares them.
import fs from 'node:fs';
import { parse } from 'yaml';

const RULES = 'src/extensions/overview/alerts/rules.json';

const { groups } = parse(fs.readFileSync('deploy/prometheus/rules/hongbao.yml', 'utf8'));
const runbook = fs.readFileSync('docs/runbook.md', 'utf8');

const sectionOf = (alert) => runbook.split(`\n## ${alert}\n`)[1].split('\n## ')[0].trim();

const UNITS = { s: 1, m: 60 };
const secondsOf = (span = '0s') => parseInt(span, 10) * UNITS[span.at(-1)];

const rules = groups
  .flatMap(({ rules }) => rules)
  .filter(({ alert }) => alert)
  .map(({ alert, expr, for: span, labels, annotations }) => ({
    alert,
    severity: labels.severity,
    forSeconds: secondsOf(span),
    expr,
    summary: annotations.summary,
    runbook: sectionOf(alert),
  }));
fs.writeFileSync(RULES, `${JSON.stringify(rules, null, 2)}\n`);
