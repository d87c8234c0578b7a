import { readdirSync } from 'node:fs';
import { Client } from 'pg';
import { hasOptionalToken, type Operation, type Parameter, readApi } from '../harness/api-operations';
import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';

const CROWD = 20;
/** As many as the page on bounds lets a process serve at a time. */
const AT_A_TIME = 2;

const PAGES = [
  ...['/docs', '/docs/runbook', '/openapi.json', '/asyncapi.json', '/console', '/console/overview'],
  ...['/rain/1', '/rain/worker.js', '/nowhere', '/v1/nowhere'],
  ...readdirSync('dist/web/assets').map((file) => `/assets/${file.replace(/\.(br|gz)$/, '')}`),
];

/** Without a token, or with one. */
const isOpen = (operation: Operation): boolean =>
  operation.security.length === 0 || hasOptionalToken(operation);

/** The smallest value, the largest, and a different value for each request. */
const valuesOf = ({ schema: { minimum = 1, maximum = 2_000_000_000 } }: Parameter, i: number): number =>
  [minimum, maximum, minimum + 1 + i][i % 3]!;

function pathFor({ path: template, parameters = [] }: Operation, i: number): string {
  const inQuery = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const query = inQuery.map((parameter, n) => `${parameter.name}=${valuesOf(parameter, i + n * (i % 2))}`);
  const path = template.replaceAll(/\{\w+\}/g, String(i % 2 === 0 ? 1 : 1_000_000 + i));
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}

describe('what anyone may request without a token', () => {
  let rain: Installation;
  let url: string;
  let locker: Client;

  /** A single API, with connections for all, and a log of one claim. */
  beforeAll(async () => {
    rain = await Installation.startWithWorker({
      CLAIM_LOG_KEY: Buffer.alloc(32, 3).toString('base64'),
      DATABASE_POOL_MAX: '60',
      RATE_LIMIT_ADDRESS_PER_SECOND: '100000',
    });
    ({ url } = rain);
    locker = new Client({ connectionString: rain.database.url });
    await locker.connect();
    const id = await rain.createActivity({ sponsorId: 'acme' });
    await rain.tap(id, 'ann');
    await waitFor(async () => (await fetch(`${url}/v1/log/checkpoint`)).ok, { what: 'a checkpoint' });
    // From now on it is known to be public, and the crowd gets to its page.
    expect(id).toBe('1');
    expect(await rain.user('ann').get(`/v1/activities/${id}/fairness`)).toMatchObject({ status: 200 });
    await rain.worker!.stop();
  });

  afterAll(async () => {
    await locker.end();
    await rain.stop();
  });

  /** The largest number of statements of one text that wait for locks at a moment, until all are answered. */
  async function mostWaiting(requests: readonly (() => Promise<unknown>)[]): Promise<number> {
    let [most, isAnswered] = [0, false];
    const answers = Promise.all(requests.map((request) => request())).finally(() => (isAnswered = true));
    await waitFor(
      async () => {
        // A transaction keeps what it has seen of other sessions.
        await locker.query('select pg_stat_clear_snapshot()');
        const { rows } = await locker.query<{ count: number }>(
          `select count(*)::int as count from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' group by query order by 1 desc limit 1`,
        );
        most = Math.max(most, rows[0]?.count ?? 0);
        return isAnswered;
      },
      { what: 'answers to all' },
    );
    await answers;
    return most;
  }

  /** A statement of the program may hold one table and wait for another: then this starts again. */
  async function lockAll(): Promise<boolean> {
    await locker.query('begin');
    const { rows } = await locker.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class
        where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
    );
    try {
      await locker.query(`lock table ${rows.map(({ name }) => name).join(', ')} in access exclusive mode`);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01') throw error;
      await locker.query('rollback');
      return false;
    }
  }

  async function locked<T>(work: () => Promise<T>): Promise<T> {
    await waitFor(lockAll, { what: 'locks on all tables' });
    try {
      return await work();
    } finally {
      await locker.query('rollback');
    }
  }

  it('has at most two Postgres statements in progress per route and process, whatever a crowd requests by GET and HEAD', async () => {
    const { operations } = await readApi(url);
    const open = operations.filter((one) => one.method === 'GET' && isOpen(one));
    expect(open.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/v1/log/consistency', '/v1/activities/{id}/fairness']),
    );
    const waiting: Record<string, number> = {};
    for (const operation of open) {
      const requests = Array.from({ length: CROWD }, (_, i) => {
        const method = i % 5 === 4 ? 'HEAD' : 'GET';
        return () => fetch(url + pathFor(operation, i), { method }).then((answer) => answer.text());
      });
      const most = await locked(() => mostWaiting(requests));
      if (most > AT_A_TIME) waiting[operation.path] = most;
    }
    expect(waiting).toEqual({});
  });

  it('shares the query of the front page', async () => {
    const requests = Array.from({ length: CROWD }, () => () => fetch(`${url}/`).then((page) => page.text()));
    expect(await locked(() => mostWaiting(requests))).toBe(1);
  });

  it('does not use an engine for any other page or its files', async () => {
    const requests = PAGES.flatMap((path) =>
      ['GET', 'HEAD'].map((method) => async () => {
        const { status } = await fetch(url + path, { method });
        return `${method} ${path} ${status}`;
      }),
    );
    const answers = await locked(() => Promise.all(requests.map((request) => request())));
    expect(answers.filter((answer) => / 5\d\d$/.test(answer))).toEqual([]);
  });
});
