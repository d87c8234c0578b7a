import { Client } from 'pg';
import { type Engine, startPostgres } from '../../src/dev/engines';
import { durabilityFaults } from '../../src/platform/postgres';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { schema } from '../../src/schema';
import { onServer, redisAppUrl, startTestRedis, waitFor } from '../harness/engines';
import type { Answer } from '../harness/client';
import { Installation, planOf } from '../harness/installation';
import { TcpProxy } from '../harness/tcp-proxy';

const people = (count: number): string[] => Array.from({ length: count }, (_, i) => `winner-${i}`);

const summaryOf = ({ status, body }: Answer): string => `${status} ${body?.code}`;

let rain: Installation;

beforeAll(async () => {
  rain = await Installation.start();
});

afterAll(() => rain.stop());

describe('requests while Postgres is unwell', () => {
  let activityId: string;

  beforeEach(async () => {
    activityId = await rain.createActivity({ packetCount: 20 });
  });

  /** Requests that need Postgres, each by a caller who is allowed to send it. */
  function requests(url: string): Record<string, () => Promise<Answer>> {
    const [user, operator] = [rain.user('u0', url), rain.operator('operator', url)];
    const activity = planOf({ totalAmount: '1.00', packetCount: 1 });
    const one = `/v1/activities/${activityId}`;
    const reading = [
      ...['/v1/me/wallet', '/v1/me/wallet/entries', '/v1/me/packets', '/v1/activities', one],
      ...[`${one}/grabs/me`, `${one}/grabs`, `${one}/reconciliation`, '/v1/wallets/u0', '/v1/dead-letters'],
      '/v1/webhooks',
    ];
    const writing: [string, unknown?][] = [
      ['/v1/wallets/u0/deposits', { amount: '1.00' }],
      ['/v1/wallets/u1/freeze'],
      ['/v1/activities', activity],
      [`${one}/top-ups`, { amount: '1.00', packetCount: 1 }],
      ['/v1/dead-letters/replay', {}],
      [`${one}/close`],
    ];
    return Object.fromEntries([
      ...reading.map((path) => [`GET ${path}`, () => operator.get(path)]),
      ...writing.map(([path, body]) => [`POST ${path}`, () => operator.post(path, body)]),
      ['grab', () => user.post(`${one}/grabs`)],
    ]) as Record<string, () => Promise<Answer>>;
  }

  const askEverything = async (url = rain.url): Promise<Record<string, Answer>> => {
    const asked = Object.entries(requests(url)).map(async ([name, ask]) => [name, await ask()] as const);
    return Object.fromEntries(await Promise.all(asked));
  };

  function expectNoFaultOfOurs(answers: Record<string, Answer>): void {
    for (const [name, answer] of Object.entries(answers)) {
      expect([name, summaryOf(answer)]).not.toEqual([name, expect.stringMatching(/^500/)]);
      if (answer.status === 503)
        expect([name, answer.headers.get('retry-after')]).toEqual([name, expect.any(String)]);
    }
  }

  it('are answered 503 with Retry-After and never 500, even if Postgres is frozen with all its connections', async () => {
    const { proxy, url } = await TcpProxy.before(rain.database.appUrl);
    const other = await rain.startAnother('main.js', { DATABASE_URL: url });
    await askEverything(other.url);
    proxy.mode = 'silent';
    proxy.halfOpen();
    const answers = await askEverything(other.url);
    expectNoFaultOfOurs(answers);
    expect(summaryOf(answers['GET /v1/me/wallet']!)).toBe('503 unavailable');
    expect(summaryOf(answers['GET /v1/activities']!)).toBe('503 unavailable');
    expect((await fetch(`${other.url}/health/dependencies`)).status).toBe(503);
    expect((await fetch(`${other.url}/health/ready`)).status).toBe(200);
    await proxy.stop();
    await other.program.stop();
  });

  it('are answered 503 if they write, 202 to a winner, and as usual if they read, when Postgres is read-only after a failover', async () => {
    const name = new URL(rain.database.url).pathname.slice(1);
    const readOnly = async (setting: 'on' | 'off') => {
      await onServer(`alter database ${name} set default_transaction_read_only = ${setting}`);
      await onServer(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and application_name = 'hongbao'`,
      );
    };
    const health = async () =>
      (await (await fetch(`${rain.url}/health/dependencies`)).json()) as { status: unknown };
    await readOnly('on');
    await waitFor(async () => (await health()).status === 503, { what: 'the alarm' });
    expect(await health()).toMatchObject({
      errors: [{ field: 'postgres', rule: 'healthy', message: 'is read-only' }],
    });

    const answers = await askEverything();
    expectNoFaultOfOurs(answers);
    expect(summaryOf(answers['POST /v1/wallets/u0/deposits']!)).toBe('503 unavailable');
    // The first requests run into the connections that were ended.
    const operator = rain.operator();
    await waitFor(async () => (await operator.get('/v1/wallets/u0')).status < 500, { what: 'a read' });

    await readOnly('off');
    await waitFor(async () => (await health()).status === 'ok', { what: 'the end of the alarm' });
  });

  it('of winners of one rain are confirmed at once while another rain is locked', async () => {
    await rain.startWorker();
    const locked = await rain.createActivity({ packetCount: 20 });
    await waitFor(async () => (await rain.metric('hongbao_redis_trusted')) === 1, {
      what: 'Redis to be trusted',
    });
    await rain.sql('begin');
    await rain.sql('select from activity where id = $1 for update', [locked]);
    const tap = (id: string) => (user: string) => rain.tap(id, user);
    const [ofLocked, ofOther] = await Promise.all([
      Promise.all(people(12).map(tap(locked))),
      Promise.all(people(12).map(tap(activityId))),
    ]);
    expect(new Set(ofOther.map(summaryOf))).toEqual(new Set(['200 0']));
    expect(new Set(ofLocked.map(summaryOf))).toEqual(new Set(['202 2']));
    await rain.sql('rollback');

    await rain.settled(activityId);
    await waitFor(async () => (await rain.proof(locked)).claims.credited === 12, { what: 'the others' });
    await rain.verify();
  });
});

describe('a Postgres that becomes unsafe while it runs', () => {
  let postgres: Engine;
  let redis: Engine;
  let observer: Client;

  beforeAll(async () => {
    const localDir = process.env.LOCAL_DIR || '.local';
    [postgres, redis] = await Promise.all([startPostgres({ localDir }), startTestRedis()]);
    await runMigrations(postgres.url, schema);
    observer = new Client({ connectionString: postgres.url });
    await observer.connect();
  });

  afterAll(async () => {
    await observer.end();
    await Promise.all([postgres.stop(), redis.stop()]);
  });

  const faults = () => durabilityFaults({ query: async (sql) => (await observer.query(sql)).rows as never });

  const set = (setting: string, value: string) =>
    onEngine(postgres, `alter system set ${setting} = ${value}`, 'select pg_reload_conf()');

  const reset = (setting: string) =>
    onEngine(postgres, `alter system reset ${setting}`, 'select pg_reload_conf()');

  it.each(['fsync', 'full_page_writes', 'synchronous_commit'])(
    'may lose commits with %s = off, and is detected',
    async (name) => {
      await set(name, 'off');
      await waitFor(async () => (await faults()).join() === `Postgres runs with ${name}=off.`, {
        what: name,
      });
      await reset(name);
      await waitFor(async () => (await faults()).length === 0, { what: 'safety' });
    },
  );

  it('is reported at /health/dependencies and by metrics, like a full disk, until both have recovered', async () => {
    const env = { DATABASE_URL: postgres.url, REDIS_URL: redisAppUrl(redis.url) };
    const { url, program } = await rain.startAnother('main.js', env);
    const reported = async (): Promise<string[]> => {
      const { errors = [] } = (await (await fetch(`${url}/health/dependencies`)).json()) as {
        errors?: { field: string }[];
      };
      return errors.map(({ field }) => field).sort();
    };
    const metrics = async () => [
      await rain.metric('hongbao_postgres_durable', url),
      await rain.metric('hongbao_postgres_disk_writable', url),
    ];
    await Promise.all([set('fsync', 'off'), set('temp_file_limit', `'64kB'`)]);
    await waitFor(async () => (await reported()).join() === 'disk,durability', { what: 'the alarms' });
    expect(await metrics()).toEqual([0, 0]);
    await Promise.all([reset('fsync'), reset('temp_file_limit')]);
    await waitFor(async () => (await reported()).length === 0, { what: 'the end of the alarms' });
    expect(await metrics()).toEqual([1, 1]);
    await program.stop();
  });

  it('is reported before its transaction numbers run out, until its databases have been vacuumed', async () => {
    await set('autovacuum', 'off');
    const env = { DATABASE_URL: postgres.url, REDIS_URL: redisAppUrl(redis.url) };
    const { url, program } = await rain.startAnother('main.js', env);
    const health = async () => (await (await fetch(`${url}/health/dependencies`)).json()) as object;
    await onEngine(
      postgres,
      `update pg_database set datfrozenxid = ((txid_current() + 4294967296 - 2050000000) % 4294967296)::text::xid
        where datname = 'template1'`,
    );
    await waitFor(async () => 'errors' in (await health()), { what: 'the alarm' });
    expect(await health()).toMatchObject({
      errors: [{ field: 'wraparound', message: expect.stringContaining('vacuum') }],
    });
    expect(await rain.metric('hongbao_postgres_transactions_left', url)).toBeLessThan(1e8);

    const old = new URL(postgres.url);
    old.pathname = '/template1';
    await onServer('vacuum', old.href);
    await waitFor(async () => !('errors' in (await health())), { what: 'the end of the alarm' });
    await program.stop();
  });
});

async function onEngine({ url }: Engine, ...statements: string[]): Promise<void> {
  for (const statement of statements) await onServer(statement, url);
}
