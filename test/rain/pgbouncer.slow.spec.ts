import { Client } from 'pg';
import { APP_ROLE } from '../../src/platform/postgres';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { schema } from '../../src/schema';
import { waitFor } from '../harness/engines';
import { cents, Installation, sumOf } from '../harness/installation';
import { PgBouncer, SERVER_CONNECTIONS } from '../harness/pgbouncer';

/** Everything that a connection keeps for the next client. */
const LEFT_BEHIND = `
  select 'setting ' || name as what from pg_settings
   where source = 'session' and name <> all($1) and name not like 'transaction\\_%'
   union all select 'prepared ' || name from pg_prepared_statements
   union all select 'cursor ' || name from pg_cursors where is_holdable
   union all select 'channel ' || channel from pg_listening_channels() as channel
   union all select 'lock' from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`;

/** PgBouncer itself sets these for each client. */
const OF_CLIENTS = [
  'application_name',
  'client_encoding',
  'DateStyle',
  'TimeZone',
  'standard_conforming_strings',
];

describe('an installation behind PgBouncer, which gives a connection to another client after each transaction,', () => {
  let pooler: PgBouncer | undefined;
  let rain: Installation;
  let throughPooler: string;

  beforeAll(async () => {
    pooler = await PgBouncer.start(process.env.TEST_DATABASE_URL!, ['hongbao', APP_ROLE]);
    rain = await Installation.startWithWorker(async ({ url, appUrl }) => {
      await runMigrations(url, schema);
      throughPooler = pooler?.to(appUrl) ?? appUrl;
      return { DATABASE_URL: throughPooler };
    });
  });

  afterAll(async () => {
    await rain.stop();
    await pooler?.stop();
  });

  const grab = async (activityId: string, user: string) => (await rain.tap(activityId, user)).body;

  it('plays a whole rain, pays it, refunds the rest, and proves the books', async () => {
    const activityId = await rain.createActivity({ totalAmount: '500.00', packetCount: 100 });
    const users = Array.from({ length: 90 }, (_, i) => `u${i}`);
    const answers = await Promise.all([...users, ...users].map((user) => grab(activityId, user)));
    const won = answers.filter(({ code }) => code === '0');
    expect(won).toHaveLength(90);
    expect(answers.filter(({ code }) => code === '1')).toHaveLength(90);

    await rain.settled(activityId);
    const sum = sumOf(won.map(({ amount }) => amount));
    expect((await rain.closeActivity(activityId)).status).toBe(200);
    const { verdict, credited, refunded } = await rain.proof(activityId);
    expect({ verdict, credited: cents(credited), refunded: cents(refunded) }).toEqual({
      verdict: 'balanced',
      credited: sum,
      refunded: cents('500.00') - sum,
    });
    expect(await rain.verify()).not.toContain('BROKEN');
  });

  it('leaves no trace in a connection for the next client', async () => {
    const clients = Array.from(
      { length: SERVER_CONNECTIONS },
      () => new Client({ connectionString: throughPooler }),
    );
    await Promise.all(clients.map((client) => client.connect()));
    for (const client of clients) await client.query('begin');
    const found = await Promise.all(clients.map((client) => client.query(LEFT_BEHIND, [OF_CLIENTS])));
    for (const client of clients) await client.end();
    expect(found.flatMap(({ rows }) => rows as unknown[])).toEqual([]);
  });

  it('has the limits of its role in every connection', async () => {
    const client = new Client({ connectionString: throughPooler });
    await client.connect();
    const { rows } = await client.query(
      `select name, setting from pg_settings where name like '%\\_timeout' and source = 'database user' order by 1`,
    );
    await client.end();
    expect(rows).toEqual([
      { name: 'idle_in_transaction_session_timeout', setting: '10000' },
      { name: 'lock_timeout', setting: '1500' },
      { name: 'statement_timeout', setting: '8000' },
    ]);
  });

  it('continues when the pooler ends all connections, and never answers a request with 500', async () => {
    if (!pooler) return;
    const activityId = await rain.createActivity({ packetCount: 50 });
    const users = Array.from({ length: 50 }, (_, i) => `late${i}`);
    const taps = users.map((user) => rain.tap(activityId, user));
    await Promise.race(taps);
    await pooler.kill(databaseIn(throughPooler));
    await pooler.resume(databaseIn(throughPooler));
    const answers = await Promise.all(taps);
    expect(answers.filter(({ status }) => ![200, 202, 503].includes(status))).toEqual([]);
    for (const user of users)
      await waitFor(async () => ['0', '1'].includes((await grab(activityId, user)).code), { what: user });
    await rain.settled(activityId);
    expect(await rain.verify()).not.toContain('BROKEN');
  });

  it.each([
    ['has no limits', 'reset lock_timeout', 'lock_timeout'],
    ['looks for tables elsewhere', 'set search_path = elsewhere', 'search_path'],
  ])('refuses to start a program whose role %s, and says what to do', async (_, change, missing) => {
    if (!pooler) return;
    const database = databaseIn(throughPooler);
    const inDatabase = `alter role ${APP_ROLE} in database ${database}`;
    await rain.sql(`${inDatabase} ${change}`);
    await pooler.reconnect(database);
    await expect(rain.startAnother('worker.js')).rejects.toThrow(
      `DATABASE_URL leads through a pooler, and role ${APP_ROLE} has no ${missing}.`,
    );
    await rain.sql(`${inDatabase} set lock_timeout = '1500ms'`);
    await rain.sql(`${inDatabase} reset search_path`);
  });

  it('refuses to migrate, because a lock of the session could pass to another client', async () => {
    if (!pooler) return;
    await expect(runMigrations(pooler.to(rain.database.url), schema)).rejects.toThrow(
      'set MIGRATION_DATABASE_URL to Postgres itself',
    );
  });
});

const databaseIn = (url: string): string => new URL(url).pathname.slice(1);
