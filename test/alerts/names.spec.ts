import { alerts, dashboards, panelsOf, read, recordings } from './deployed';

const namesOn = (page: string, row: RegExp): string[] =>
  Array.from(read('docs', page).matchAll(row), ([, name]) => name!);

const histograms = namesOn('metrics.md', /^\| `(\w+)` +\| histogram /gm);
const served = [
  ...namesOn('metrics.md', /^\| `(\w+)` +\| (?:counter|gauge) /gm),
  ...histograms.flatMap((name) => [`${name}_bucket`, `${name}_sum`, `${name}_count`]),
];
const recorded = recordings.map(({ record }) => record);

const unknownIn = (expressions: readonly string[]): string[] =>
  expressions
    .flatMap((expression) => expression.match(/\bhongbao[_:][\w:]+/g) ?? [])
    .filter((name) => !served.includes(name) && !recorded.includes(name));

it('Rules use only metrics that docs/metrics.md lists', () => {
  expect(served.length).toBeGreaterThan(90);
  expect(unknownIn([...alerts, ...recordings].map(({ expr }) => expr))).toEqual([]);
});

it('docs/runbook.md has a section for every alert, which says how severe it is, what it means and what to do', () => {
  const described = Array.from(
    read('docs', 'runbook.md').matchAll(/^## (Hongbao\w+)\n\n(Critical|Warning)\. \S[^]+?\n\n\S/gm),
    ([, name, severity]) => `${name} ${severity!.toLowerCase()}`,
  );
  expect(described.sort()).toEqual(alerts.map(({ alert, labels }) => `${alert} ${labels.severity}`).sort());
});

it('Every alert has a severity, a one-sentence summary, and a link to its section of the runbook', () => {
  for (const { alert, labels, annotations } of alerts) {
    expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(critical|warning)$/)]);
    expect(annotations).toEqual({
      summary: expect.stringMatching(/^[A-Z].+\.$/),
      runbook_url: `{{ $externalLabels.runbooks }}#${alert.toLowerCase()}`,
    });
  }
});

describe.each(dashboards)('the dashboard $title', (board) => {
  it('uses only metrics that docs/metrics.md lists, and series that the rules record', () => {
    expect(panelsOf(board).length).toBeGreaterThan(10);
    expect(unknownIn(panelsOf(board))).toEqual([]);
  });

  it('queries the provisioned source, has the name of its file, and never shows two panels in one place', () => {
    expect(board.file).toBe(`${board.uid}.json`);
    const sources = new Set(board.panels.map(({ datasource }) => datasource.uid));
    expect([...sources]).toEqual([
      /uid: (\w+)/.exec(read('deploy', 'grafana', 'provisioning', 'datasources', 'prometheus.yml'))![1],
    ]);
    const cells = board.panels.flatMap(({ gridPos: { x, y, w } }) =>
      Array.from({ length: w }, (_, column) => `${x + column}/${y}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of board.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });
});
