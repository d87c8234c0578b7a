// Writes the rules as an object of the Prometheus operator: `node deploy/prometheus/operator-rule.mjs`.
// A test compares them.
import fs from 'node:fs';
import { parse, stringify } from 'yaml';

const COMMENT =
  '# Written by deploy/prometheus/operator-rule.mjs from deploy/prometheus/rules/hongbao.yml.\n';
const RULE = 'deploy/kubernetes/components/monitoring/prometheus-rule.yaml';

const spec = parse(fs.readFileSync('deploy/prometheus/rules/hongbao.yml', 'utf8'));
const object = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'hongbao' },
  spec,
};
fs.writeFileSync(RULE, COMMENT + stringify(object, { lineWidth: 0, singleQuote: true }));
