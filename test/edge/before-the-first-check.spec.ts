import { Metrics } from '../../src/platform/telemetry';
import { JournalBacklog } from '../../src/core/grab/journal/journal-backlog';
import { EngineWatch } from '../../src/core/health/engine-watch';
import { PostgresWatch } from '../../src/core/health/postgres-watch';

const NOTHING = {} as never;

/** The values of a process that has just started. */
async function valuesOf(declare: (metrics: Metrics) => unknown): Promise<string[]> {
  const metrics = new Metrics();
  declare(metrics);
  return (await metrics.expose()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('before the first check, no metric says', () => {
  it('that Postgres forgets commits, cannot write, or has no transaction numbers', async () => {
    expect(await valuesOf((metrics) => new PostgresWatch(NOTHING, NOTHING, metrics))).toEqual([]);
  });

  it('that an engine is down', async () => {
    expect(await valuesOf((metrics) => new EngineWatch(NOTHING, NOTHING, metrics))).toEqual([]);
  });

  it('that a shard is ill', async () => {
    const config = { JOURNAL_ENTRIES_MAX: 5 } as never;
    const journals = { keys: { shards: [0, 1] } } as never;
    const values = await valuesOf((metrics) => new JournalBacklog(journals, config, metrics));
    expect(values.filter((line) => line.startsWith('hongbao_shard_healthy'))).toEqual([]);
    expect(values).toContain('hongbao_journal_entries{shard="1"} 0');
  });
});
