import { parseYaml } from '@redocly/openapi-core';
import { EVAL_MINUTES, HARMS, HEALTHY, type Series, STEP_SECONDS } from './harms';
import { checkAlertmanager, checkContentWithPromtool, checkWithPromtool } from './promtool';
import { type Alert, alerts, dashboards, panelsOf, PROMETHEUS_FILE, read, RULES_FILE } from './deployed';

/** The page that alerts link to, as an external label of Prometheus. */
const RUNBOOKS = 'https://git.example/runbook.md';

function testOf(name: string, harm: Series, expected: (alert: Alert) => object[], asked = alerts) {
  return {
    name,
    interval: `${STEP_SECONDS}s`,
    external_labels: { runbooks: RUNBOOKS },
    input_series: Object.entries({ ...HEALTHY, ...harm }).map(([series, values]) => ({ series, values })),
    alert_rule_test: asked.map((alert) => ({
      eval_time: `${EVAL_MINUTES}m`,
      alertname: alert.alert,
      exp_alerts: expected(alert),
    })),
  };
}

const firing = ({ alert, labels, annotations }: Alert, own: Record<string, string> = {}) => [
  {
    exp_labels: { ...labels, ...own },
    exp_annotations: { ...annotations, runbook_url: `${RUNBOOKS}#${alert.toLowerCase()}` },
  },
];

const runTests = (...tests: object[]) =>
  checkContentWithPromtool(
    { rule_files: [RULES_FILE], evaluation_interval: `${STEP_SECONDS}s`, tests },
    'test',
    'rules',
  );

describe('the rules of Prometheus', () => {
  it('are valid, and so is the configuration that loads them', async () => {
    await checkWithPromtool('check', 'config', PROMETHEUS_FILE);
  });

  it('go to an Alertmanager whose configuration is valid', async () => {
    const { configs } = parseYaml(read('deploy', 'compose', 'compose.yaml')) as {
      configs: { alertmanager: { content: string } };
    };
    await checkAlertmanager(configs.alertmanager.content.replace(/\$\{\w+:-(.+?)\}/g, '$1'));
  });

  it('have exactly one fault in harms.ts for each alert', () => {
    expect(Object.keys(HARMS).sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });

  it('fire no alert while the system is healthy', async () => {
    await runTests(testOf('all is well', {}, () => []));
  });

  it('fire each alert when its fault occurs', async () => {
    const tests = alerts.map((alert) => {
      const [harm, labels] = HARMS[alert.alert]!;
      return testOf(alert.alert, harm, () => firing(alert, labels), [alert]);
    });
    await runTests(...tests);
  });
});

it.each(dashboards)('The dashboard $title contains only queries that Prometheus accepts', async (board) => {
  const rules = panelsOf(board).map((expr, i) => ({
    record: `panel:${i}`,
    expr: expr.replaceAll('$__rate_interval', '1m'),
  }));
  await checkContentWithPromtool({ groups: [{ name: 'panels', rules }] }, 'check', 'rules');
});
