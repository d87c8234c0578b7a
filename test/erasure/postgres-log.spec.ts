import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Engine, startPostgres } from '../../src/dev/engines';
import { waitFor } from '../harness/engines';

const PAGE = readFileSync('docs/extensions/erasure.md', 'utf8');

/** The settings that the page recommends. */
const RECOMMENDED = [...PAGE.matchAll(/^ {2}(log_\w+) = (\w+)$/gm)].map(([, name, value]) => [name!, value!]);

const LOGS_ALL = [
  ['logging_collector', 'on'],
  ['log_destination', 'stderr'],
  ['log_directory', 'log'],
  ['log_min_duration_statement', '0'],
  ['log_statement', 'all'],
];

describe('the log of Postgres, with all statements and errors', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hongbao-log-'));
  const options = { localDir: process.env.LOCAL_DIR || '.local', durable: false };
  const dataDir = join(directory, 'data');
  let postgres: Engine;

  beforeAll(async () => {
    postgres = await startPostgres({ ...options, dataDir });
    await set(LOGS_ALL);
    await postgres.stop();
    postgres = await startPostgres({ ...options, dataDir });
  });

  afterAll(async () => {
    await postgres?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function withClient(work: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await work(client).finally(() => client.end());
  }

  const set = (settings: readonly (readonly string[])[]) =>
    withClient(async (client) => {
      for (const [name, value] of settings) await client.query(`alter system set ${name} = '${value}'`);
      await client.query('select pg_reload_conf()');
    });

  /** Names someone in a parameter and in the detail of an error, and returns the log from before and after that. */
  async function loggedOf(id: string): Promise<string> {
    await withClient(async (client) => {
      await client.query('create temp table wallet (owner_id text unique)');
      const insert = () => client.query('insert into wallet (owner_id) values ($1)', [id]);
      await insert();
      await expect(insert()).rejects.toThrow('duplicate key');
      await client.query(`select 'the end of ${id.length}'`);
    });
    const text = () =>
      readdirSync(join(dataDir, 'log'))
        .map((name) => readFileSync(join(dataDir, 'log', name), 'utf8'))
        .join('');
    await waitFor(() => Promise.resolve(text().includes(`the end of ${id.length}`)), { what: 'the log' });
    return text();
  }

  it('has ids of people in parameters and details, and no longer with the settings that docs/extensions/erasure.md recommends', async () => {
    const before = await loggedOf('zoe-is-logged');
    expect(before).toMatch(/DETAIL: {2}Key \(owner_id\)=\(zoe-is-logged\)/);
    expect(before).toMatch(/\$1 = 'zoe-is-logged'/);

    expect(RECOMMENDED).toHaveLength(3);
    await set(RECOMMENDED);
    const after = await loggedOf('tom-is-not-in-the-log');
    expect(after).toContain('duplicate key');
    expect(after).not.toContain('tom-is-not-in-the-log');
  });
});
