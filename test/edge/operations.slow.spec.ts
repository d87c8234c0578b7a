import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { Servers } from '../../libs/redis-scripts';
import { HealthModule } from '../../src/core/health';
import { Readiness } from '../../src/platform/http';
import { PostgresModule } from '../../src/platform/postgres';
import { version } from '../../src/platform/version';
import { schema } from '../../src/schema';
import { REDIS, RedisModule } from '../../src/platform/redis';
import { ScheduleModule } from '../../src/platform/schedule';
import { Metrics, TelemetryModule } from '../../src/platform/telemetry';
import { CONFIRM_ALL } from '../harness/confirm-functions';
import { createDatabase, startTestRedis, type TestDatabase, waitFor } from '../harness/engines';
import { startEdge } from './edge-app';

type Engine = Awaited<ReturnType<typeof startTestRedis>>;

describe('the probes', () => {
  let database: TestDatabase;
  let redis: Engine;
  let app: NestFastifyApplication;

  beforeAll(async () => {
    [database, redis] = await Promise.all([createDatabase(), startTestRedis()]);
    app = await startEdge(
      { DATABASE_URL: database.url, REDIS_URL: redis.url },
      {
        imports: [PostgresModule.forRoot(schema), RedisModule, TelemetryModule, ScheduleModule, HealthModule],
      },
    );
  });
  afterAll(async () => {
    await app.close();
    await Promise.all([database.drop(), redis.stop()]);
  });

  const ready = () => app.inject('/health/ready');
  const dependencies = () => app.inject('/health/dependencies');

  const valueOf = async (series: string): Promise<number> => {
    const { body } = await app.inject('/metrics');
    const line = body.split('\n').find((text) => text.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1));
  };

  /** Waits for a newer answer: each is kept for a second. */
  const soon = (probe: typeof ready, expected: object) =>
    waitFor(
      async () => {
        const answer = await probe();
        expect(answer.statusCode === 200 ? answer.json() : problemOf(answer)).toMatchObject(expected);
        return true;
      },
      { timeoutMs: 10_000, what: 'the answer of a later check' },
    );

  const isReady = { status: 'ready' };
  const isBehind = {
    code: 'health.not_ready',
    errors: [{ field: 'schema', rule: 'healthy', message: 'is behind this program' }],
  };

  const problemOf = (answer: Awaited<ReturnType<typeof ready>>) => {
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.body).not.toMatch(/127\.0\.0\.1|postgres:\/\//);
    return answer.json();
  };

  it('report a live process without asking any engine', async () => {
    expect((await app.inject('/health/live')).json()).toEqual({ status: 'live', version });
  });

  it('report a ready process and healthy engines when every check passes', async () => {
    expect((await ready()).json()).toEqual({ status: 'ready', checks: { process: 'ok', schema: 'ok' } });
    expect((await dependencies()).json()).toEqual({
      status: 'ok',
      checks: { postgres: 'ok', redis: 'ok', eviction: 'ok' },
    });
  });

  it('ask each engine at most once a second, however many callers there are', async () => {
    const dataSource = app.get(DataSource);
    const queries = jest.spyOn(dataSource, 'query');
    const pings = jest.spyOn(app.get(Servers), 'expectAll');
    const crowd = Array.from({ length: 100 }, () => [ready(), dependencies()]).flat();
    for (const { statusCode } of await Promise.all(crowd)) expect(statusCode).toBe(200);
    const asked = (what: string) => queries.mock.calls.filter(([sql]) => sql.includes(what)).length;
    expect(asked('from migrations')).toBeLessThanOrEqual(1);
    expect(asked('pg_is_in_recovery')).toBeLessThanOrEqual(1);
    // The watch of the engines, which checks every second, may have added some.
    expect(pings.mock.calls.length).toBeLessThan(5);
    queries.mockRestore();
    pings.mockRestore();
  });

  it('report a process as not ready while the schema lacks a migration, or has a newer migration that does not serve this program', async () => {
    const dataSource = app.get(DataSource);
    await dataSource.query(`insert into migrations (timestamp, name) values (1, 'FromTheFuture')`);
    await soon(ready, {
      code: 'health.not_ready',
      detail: 'Not ready: schema is ahead of this program.',
      errors: [{ field: 'schema', rule: 'healthy', message: 'is ahead of this program' }],
    });
    await dataSource.query(`delete from migrations where name = 'FromTheFuture'`);
    const last = schema.migrations.at(-1)!.name;
    const [row] = await dataSource.query('delete from migrations where name = $1 returning *', [last]);
    await soon(ready, isBehind);
    const [{ timestamp, name }] = row;
    await dataSource.query('insert into migrations (timestamp, name) values ($1, $2)', [timestamp, name]);
    await soon(ready, isReady);
  });

  it('report a process as ready on a newer schema that serves this program', async () => {
    const dataSource = app.get(DataSource);
    await dataSource.query(
      `insert into migrations (timestamp, name, serves) values (1, 'FromTheFuture', $1)`,
      [schema.migrations.at(-1)!.name],
    );
    await soon(ready, isReady);
    await dataSource.query(`delete from migrations where name = 'FromTheFuture'`);
  });

  it('report a process as not ready while a function differs from the one this program was built with', async () => {
    const dataSource = app.get(DataSource);
    await dataSource.query(`alter function ${CONFIRM_ALL} set enable_seqscan = on`);
    await soon(ready, isBehind);
    await dataSource.query(`alter function ${CONFIRM_ALL} set enable_seqscan = off`);
    await soon(ready, isReady);
  });

  it('raise an alarm while Redis would evict', async () => {
    const client = app.get(REDIS);
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await soon(dependencies, {
      errors: [{ field: 'eviction', rule: 'healthy', message: 'policy is allkeys-lru, not noeviction' }],
    });
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    await soon(dependencies, { status: 'ok' });
  });

  it.each([
    ['is full', ['config', 'SET', 'maxmemory', '1'], ['config', 'SET', 'maxmemory', '0']],
    ['has become a replica', ['replicaof', '127.0.0.1', '1'], ['replicaof', 'NO', 'ONE']],
    [
      'has too few replicas for what is written',
      ['config', 'SET', 'min-replicas-to-write', '1'],
      ['config', 'SET', 'min-replicas-to-write', '0'],
    ],
  ])('raise an alarm while Redis answers and %s, so that it refuses writes', async (_, harm, mend) => {
    const client = app.get<Redis>(REDIS);
    await client.call(harm[0]!, harm.slice(1));
    await soon(dependencies, {
      detail: 'Dependencies fail: redis refuses writes.',
      errors: [{ field: 'redis', rule: 'healthy', message: 'refuses writes' }],
    });
    await client.call(mend[0]!, mend.slice(1));
    await soon(dependencies, { status: 'ok' });
  });

  it('report how full Redis is', async () => {
    const ratio = () => valueOf('hongbao_redis_memory_used_ratio');
    const client = app.get<Redis>(REDIS);
    await client.config('SET', 'maxmemory', '1gb');
    await waitFor(async () => (await ratio()) > 0, { what: 'a bound' });
    expect(await ratio()).toBeLessThan(0.1);
    await client.config('SET', 'maxmemory', '0');
    await waitFor(async () => (await ratio()) === 0, { what: 'no bound' });
  });

  it('raise an alarm in time while Redis does not answer, and keep the process in service', async () => {
    process.kill(redis.pid, 'SIGSTOP');
    await soon(dependencies, {
      errors: [
        { field: 'redis', rule: 'healthy', message: 'is not reachable' },
        { field: 'eviction', rule: 'healthy', message: 'is not reachable' },
      ],
    });
    const before = performance.now();
    expect((await dependencies()).statusCode).toBe(503);
    expect(performance.now() - before).toBeLessThan(2_000);
    await soon(ready, isReady);
    await waitFor(async () => (await valueOf('hongbao_engine_up{engine="redis"}')) === 0, {
      what: 'the alarm',
    });
    expect(await valueOf('hongbao_engine_up{engine="postgres"}')).toBe(1);
    process.kill(redis.pid, 'SIGCONT');
    await waitFor(async () => (await valueOf('hongbao_engine_up{engine="redis"}')) === 1, {
      what: 'its end',
    });
  });

  it('report how many connections to Postgres are in use and how many requests wait for one', async () => {
    const dataSource = app.get(DataSource);
    const max = await valueOf('hongbao_postgres_pool_max_connections{pool="general"}');
    const runners = Array.from({ length: max }, () => dataSource.createQueryRunner());
    for (const runner of runners) await runner.connect();
    const late = dataSource.createQueryRunner();
    const connected = late.connect();
    expect(await valueOf('hongbao_postgres_pool_connections{pool="general",state="used"}')).toBe(max);
    expect(await valueOf('hongbao_postgres_pool_waiting{pool="general"}')).toBeGreaterThan(0);
    for (const runner of runners) await runner.release();
    await connected;
    await late.release();
    await waitFor(async () => (await valueOf('hongbao_postgres_pool_waiting{pool="general"}')) === 0, {
      what: 'its end',
    });
    expect(await valueOf('hongbao_postgres_pool_wait_seconds_count{pool="general"}')).toBeGreaterThan(max);
  });

  it('expose the metrics of the parts of a process', async () => {
    app.get(Metrics).counter({ name: 'hongbao_grabs_won_total', help: 'Grabs that won.' }).inc(3);
    const answer = await app.inject('/metrics');
    expect(answer.headers['content-type']).toContain('text/plain; version=0.0.4');
    expect(answer.body).toContain('hongbao_grabs_won_total 3');
  });

  it('report a process as not ready from the moment it is shutting down', async () => {
    app.get(Readiness).leave();
    expect(problemOf(await ready()).detail).toBe('Not ready: process is shutting down.');
    expect((await app.inject('/health/live')).statusCode).toBe(200);
  });
});
