import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Installation } from '../harness/installation';
import { waitFor } from '../harness/engines';

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'metrics.md'), 'utf8');

const ROW = /^\| `(\w+)` +\| (\w+) +\| (.+?) +\| (.+?) +\| (API|worker|both) +\| (.+?) +\|$/gm;

interface Documented {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly unit: string;
  readonly servedBy: string;
}

const documented: Documented[] = Array.from(page.matchAll(ROW), ([, name, type, labels, unit, servedBy]) => ({
  name: name!,
  type: type!,
  labels: Array.from(labels!.matchAll(/`(\w+)`/g), ([, label]) => label!),
  unit: unit!,
  servedBy: servedBy!,
}));

/** Returns the type of each metric, and the labels of its series, from the text of a program. */
function readMetrics(text: string): Map<string, { type: string; labels: Set<string> }> {
  const metrics = new Map(
    Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name, type]) => [
      name!,
      { type: type!, labels: new Set<string>() },
    ]),
  );
  for (const [, series, labels] of text.matchAll(/^(\w+)\{(.*)\} /gm)) {
    const metric = metrics.get(series!) ?? metrics.get(series!.replace(/_(bucket|sum|count)$/, ''));
    for (const [, label] of labels!.matchAll(/(\w+)="/g)) if (label !== 'le') metric!.labels.add(label!);
  }
  return metrics;
}

describe('docs/metrics.md', () => {
  let rain: Installation;
  let served: Record<'API' | 'worker', Map<string, { type: string; labels: Set<string> }>>;

  const textOf = async (url: string) => (await fetch(`${url}/metrics`)).text();

  /** Waits until the tasks have run, because they have no series before that. */
  async function afterTasks(url: string): Promise<string> {
    let text = '';
    const hasTasks = async () =>
      (text = await textOf(url)).includes('hongbao_task_last_success_timestamp_seconds{');
    await waitFor(hasTasks, { what: 'the first run of a task' });
    return text;
  }

  beforeAll(async () => {
    rain = await Installation.startWithWorker();
    const [api, worker] = await Promise.all([rain.url, rain.workerUrl].map(afterTasks));
    served = { API: readMetrics(api!), worker: readMetrics(worker!) };
  });

  afterAll(() => rain.stop());

  it.each(['API', 'worker'] as const)('lists exactly what a running %s serves, with its type', (program) => {
    const listed = documented.filter(({ servedBy }) => servedBy === program || servedBy === 'both');
    expect(listed.map(({ name, type }) => `${name} ${type}`).sort()).toEqual(
      Array.from(served[program], ([name, { type }]) => `${name} ${type}`).sort(),
    );
  });

  it.each(['API', 'worker'] as const)('lists the labels of every series of a running %s', (program) => {
    const labelled = Array.from(served[program]).filter(([, { labels }]) => labels.size > 0);
    const listed = new Map(documented.map(({ name, labels }) => [name, labels]));
    expect(labelled.map(([name]) => [name, [...listed.get(name)!].sort()])).toEqual(
      labelled.map(([name, { labels }]) => [name, [...labels].sort()]),
    );
  });

  it('names every metric hongbao_…, every counter …_total, and gives each the unit that its name says', () => {
    expect(documented.length).toBeGreaterThan(70);
    for (const { name, type, unit } of documented) {
      expect(name).toMatch(/^hongbao_[a-z0-9_]+$/);
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      const [, said] = /_(seconds|bytes|ratio)(_total)?$/.exec(name) ?? [];
      if (said) expect([name, unit]).toEqual([name, said]);
    }
  });

  it('has no series that could grow with users, activities or webhooks', async () => {
    const activityId = await rain.createActivity({ packetCount: 3 });
    const before = await textOf(rain.url);
    for (const user of ['ann', 'bob', 'cid', 'dan', 'eve'])
      expect((await rain.user(user).post(`/v1/activities/${activityId}/grabs`)).status).toBe(200);
    const after = await textOf(rain.url);
    expect(seriesOf(after)).toEqual(seriesOf(before));
    expect(after).toContain('hongbao_grabs_total{outcome="won"} 3');
    expect(after).toContain('hongbao_grabs_total{outcome="sold-out"} 2');
    expect(after).toContain('hongbao_grab_duration_seconds_count{outcome="sold-out"} 2');
  });
});

/** Returns all series except those of Node, which come and go, and those of tasks, which appear later. */
const seriesOf = (text: string): string[] =>
  Array.from(text.matchAll(/^(hongbao_(?!nodejs_|task_)\w+(?:\{.*\})?) /gm), ([, series]) => series!).sort();
