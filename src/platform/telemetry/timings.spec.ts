import { Histogram, Registry } from 'prom-client';
import { Metrics } from './metrics';
import { BOUNDS_SECONDS, ENDINGS, timed } from './timings';

const NAME = 'hongbao_example_duration_seconds';
const HELP = 'An example';

const textOf = async (metrics: Metrics): Promise<string> =>
  (await metrics.expose()).split('\n\n').find((part) => part.includes(NAME))!;

describe('a histogram of ours', () => {
  it('a histogram of ours reads like one of prom-client with the same observations', async () => {
    const registry = new Registry();
    const theirs = new Histogram({
      name: NAME,
      help: HELP,
      labelNames: ['result'],
      buckets: BOUNDS_SECONDS,
      registers: [registry],
    });
    const metrics = new Metrics();
    const ours = metrics.timings({ name: NAME, help: HELP, label: 'result', values: ENDINGS });
    for (const result of ENDINGS)
      for (const seconds of [0, 0.0005, ...BOUNDS_SECONDS, 0.0011, 0.3, 9.99, 10.01, 4000]) {
        theirs.observe({ result }, seconds);
        ours[result].observe(seconds);
      }
    expect(linesOf(await textOf(metrics))).toEqual(linesOf(await registry.metrics()));
  });

  it('a histogram of a single thing has no label', async () => {
    const metrics = new Metrics();
    metrics.timing({ name: NAME, help: HELP }).observe(0.2);
    expect(await textOf(metrics)).toContain(`\n${NAME}_bucket{le="0.25"} 1\n`);
    expect(await textOf(metrics)).toContain(`\n${NAME}_count 1`);
  });

  it('work is counted as done or failed, and its result or error is passed on', async () => {
    const times = new Metrics().timings({ name: NAME, help: HELP, label: 'result', values: ENDINGS });
    await expect(timed(times, () => Promise.resolve(7))).resolves.toBe(7);
    await expect(timed(times, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect([times.done.count, times.failed.count]).toEqual([1, 1]);
  });
});

/** Labels may have any order. */
const linesOf = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`))
    .sort();
