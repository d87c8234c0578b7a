import { Queue } from 'bullmq';
import { RedisKeys } from '../../libs/redis-scripts';
import type { Answer } from '../harness/client';
import { Installation } from '../harness/installation';
import { onServer, waitFor } from '../harness/engines';
import { TcpProxy } from '../harness/tcp-proxy';

/** Keys for the default number of shards. */
const KEYS = new RedisKeys(16);

describe('an installation', () => {
  let rain: Installation;

  beforeAll(async () => {
    rain = await Installation.start({ CONFIRM_TIMEOUT_MS: '500' });
  });

  afterAll(() => rain.stop());

  const journalOf = (activityId: string) => KEYS.journal(KEYS.shardOf(activityId));

  const tapAll = (activityId: string, users: readonly string[]): Promise<Answer[]> =>
    Promise.all(users.map((user) => rain.tap(activityId, user)));

  /** Taps again after each 503, as clients should. */
  const insist = (activityId: string, user: string): Promise<Answer> => {
    const answered = async () => {
      const answer = await rain.tap(activityId, user);
      return answer.status === 503 ? undefined : answer;
    };
    return waitFor(answered, { what: `an answer for ${user}` }) as Promise<Answer>;
  };

  const people = (count: number): string[] => Array.from({ length: count }, (_, i) => `u${i}`);

  const packetsLeft = (activityId: string): Promise<string[]> =>
    rain.redis.lrange(KEYS.activity(activityId).packets, 0, -1);

  /** Makes the state after the tail of the file was lost: these packets are back. */
  async function restartWithout(activityId: string, remembered: readonly string[]): Promise<void> {
    const { packets, claims } = KEYS.activity(activityId);
    const forgetting = rain.redis.multi().del(packets, claims);
    for (const shard of KEYS.shards) forgetting.hdel(KEYS.trust(shard), 'server');
    await forgetting.rpush(packets, ...remembered).exec();
    await redisIsDoubted();
  }

  /** Waits, because each process checks twice a second: its metric may be out of date for a moment. */
  const redisIsDoubted = () =>
    waitFor(async () => (await rain.metric('hongbao_redis_trusted')) === 0, { what: 'doubts about Redis' });

  const claims = (activityId: string) =>
    rain.sql<{ user_id: string }>('select user_id from claim where activity_id = $1', [activityId]);

  const redisIsTrusted = () =>
    waitFor(async () => (await rain.metric('hongbao_redis_trusted')) === 1, { what: 'Redis to be trusted' });

  /** Waits for a settlement that is blocked. A transaction would keep its first snapshot. */
  const settlementIsUnderWay = () => {
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'with due as%' and ${backendsOf(rain)}`;
    const look = async () => {
      await rain.sql('select pg_stat_clear_snapshot()');
      return (await rain.sql(waiting)).length > 0;
    };
    return waitFor(look, { what: 'a settlement under way' });
  };

  describe('that had no worker so far', () => {
    it('closes many activities at once, although every close needs more than one connection', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 20; i++) ids.push(await rain.createActivity({ packetCount: 2 }));
      await Promise.all(ids.map((id) => rain.tap(id, 'u0')));
      const closed = await Promise.all(ids.map((id) => rain.closeActivity(id)));
      expect(new Set(closed.map((answer) => answer.status))).toEqual(new Set([200]));
    });

    it('answers winners with their packet after the close, even if Redis had forgotten it earlier', async () => {
      const activityId = await rain.createActivity({ packetCount: 3 });
      const first = await rain.tap(activityId, 'u0');
      await rain.redis.flushall();
      await rain.closeActivity(activityId);
      expect((await rain.tap(activityId, 'u0')).body).toEqual({ ...first.body, code: '1' });
      expect((await rain.tap(activityId, 'u1')).body).toEqual({ code: '-1', reason: 'closed' });
    });

    it('does not answer winners "sold-out" or "closed" while Redis may have forgotten them', async () => {
      const activityId = await rain.createActivity({ packetCount: 2 });
      const first = await rain.tap(activityId, 'u0');
      await rain.tap(activityId, 'u1');
      await waitFor(async () => (await claims(activityId)).length === 2, { what: 'the claims' });
      const { claims: claimsKey, gate, state } = KEYS.activity(activityId);
      await rain.redis.del(claimsKey);
      expect((await rain.tap(activityId, 'u0')).body).toEqual({ ...first.body, code: '1' });
      expect((await rain.tap(activityId, 'u2')).body.code).toBe('activity.loading');
      await rain.redis.del(gate);
      await rain.redis.hset(state, 'status', 'closed');
      expect((await rain.tap(activityId, 'u2')).body.reason).toBe('closed');
      expect((await rain.tap(activityId, 'u0')).body).toEqual({ ...first.body, code: '1' });
    });

    it('answers 503 when asked for the time of a Redis that does not answer', async () => {
      await rain.redis.client('PAUSE', 2_500, 'ALL');
      expect(await rain.user('ann').get('/v1/clock')).toMatchObject({
        status: 503,
        body: { code: 'unavailable' },
      });
      await rain.redis.ping();
    });

    it('keeps serving after Redis was restarted and after its scripts were flushed', async () => {
      const activityId = await rain.createActivity({ packetCount: 10 });
      await rain.win(activityId, 'u0');
      await rain.redis.script('FLUSH');
      await rain.win(activityId, 'u1');
      await rain.redis.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await waitFor(async () => (await rain.tap(activityId, 'u2')).status === 200, {
        what: 'the reconnection',
      });
      expect((await rain.tap(activityId, 'u0')).body.code).toBe('1');
    });

    it('opens on time and serves every grab without any worker, and pays all once a worker starts', async () => {
      const activityId = await rain.createActivity({ packetCount: 50, opensInMs: 700 });
      expect((await rain.tap(activityId, 'u0')).body.reason).toBe('not-open');
      await waitFor(async () => (await rain.tap(activityId, 'u0')).body.code === '0', {
        what: 'the opening',
      });
      const answers = await tapAll(activityId, people(50).slice(1));
      expect(new Set(answers.map((answer) => answer.body.code))).toEqual(new Set(['0']));
      expect(await rain.proof(activityId)).toMatchObject({
        pending: '100.00',
        credited: '0.00',
        verdict: 'balanced',
      });

      await rain.startWorker();
      await rain.settled(activityId);
      expect(await rain.proof(activityId)).toMatchObject({ credited: '100.00', verdict: 'balanced' });
    });
  });

  describe('whose worker is down for a while', () => {
    /** A reminder in progress would continue after the pause, and remind Redis in spite of the test. */
    beforeEach(async () => {
      await redisIsTrusted();
      await rain.pauseWorker();
    });

    afterEach(() => rain.resumeWorker());

    it('pays claims whose jobs were lost with the queue', async () => {
      const activityId = await rain.createActivity({ packetCount: 20 });
      await tapAll(activityId, people(20));
      const { hostname: host, port } = new URL(rain.redisEngine.url);
      const queue = new Queue('settlement', { prefix: '{bull}', connection: { host, port: Number(port) } });
      await waitFor(async () => (await queue.getJobCountByTypes('waiting')) > 0, { what: 'a job' });
      await queue.obliterate({ force: true });
      await queue.close();

      rain.resumeWorker();
      await rain.settled(activityId);
      expect((await rain.proof(activityId)).credited).toBe('100.00');
    });

    it('keeps every answered win if Redis has lost its last moments', async () => {
      const activityId = await rain.createActivity({ packetCount: 40 });
      const remembered = await packetsLeft(activityId);
      const first = await tapAll(activityId, people(20));
      await waitFor(async () => (await claims(activityId)).length === 20, { what: 'the claims' });
      await restartWithout(activityId, remembered);

      const strangers = people(40).slice(20);
      const drawn: Answer[] = [];
      for (const user of strangers) drawn.push(await insist(activityId, user));
      const again = await Promise.all(people(20).map((user) => insist(activityId, user)));

      expect(again.map((answer) => answer.body)).toEqual(first.map(({ body }) => ({ ...body, code: '1' })));
      for (const answer of drawn) expect(['0', '1']).toContain(answer.body.code);
      const packets = [...first, ...drawn].map((answer) => answer.body.redPacketId);
      expect(new Set(packets).size).toBe(40);
      rain.resumeWorker();
      await rain.settled(activityId);
      expect((await rain.proof(activityId)).credited).toBe('100.00');
    });

    it('finishes a close whose transaction failed after Redis had closed', async () => {
      const activityId = await rain.createActivity({
        sponsorId: 'closer',
        packetCount: 10,
        split: { kind: 'equal' },
      });
      await tapAll(activityId, people(4));
      await rain.sql(
        `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`,
      );
      await rain.sql(`create trigger refuse before insert on audit_log execute function refuse()`);
      rain.mayAnswer500(rain.api);
      const failed = await rain.closeActivity(activityId);
      expect(failed.status).toBe(500);
      expect((await rain.tap(activityId, 'late')).body).toEqual({ code: '-1', reason: 'closed' });
      await rain.sql(`drop trigger refuse on audit_log`);

      rain.resumeWorker();
      await waitFor(async () => (await rain.proof(activityId)).refunded === '60.00', { what: 'the refund' });
      await rain.settled(activityId);
    });

    it('corrects a Redis that has restarted with older data, before any user draws', async () => {
      const activityId = await rain.createActivity({ packetCount: 30 });
      const remembered = await packetsLeft(activityId);
      await tapAll(activityId, people(20));
      await waitFor(async () => (await claims(activityId)).length === 20, { what: 'the claims' });
      await waitFor(async () => (await rain.redis.xlen(journalOf(activityId))) === 0, {
        what: 'the journal',
      });
      await restartWithout(activityId, remembered);

      rain.resumeWorker();
      await waitFor(async () => (await packetsLeft(activityId)).length === 10, { what: 'ten packets left' });
      expect(await rain.redis.hlen(KEYS.activity(activityId).claims)).toBe(20);
      await rain.settled(activityId);
    });

    it('reloads an activity that Redis has lost, and never answers "sold-out" in the meantime', async () => {
      const activityId = await rain.createActivity({ packetCount: 30 });
      const first = await tapAll(activityId, people(10));
      await waitFor(async () => (await claims(activityId)).length === 10, { what: 'the claims' });
      await rain.redis.flushall();
      const heard: Answer[] = [];
      const wins = async () => heard[heard.push(await rain.tap(activityId, 'u29')) - 1]!.body.code === '0';
      await waitFor(wins, { what: 'the reload' });
      for (const { status, headers } of heard.slice(0, -1))
        expect([status, headers.get('retry-after')]).toEqual([503, '1']);

      await redisIsDoubted();
      rain.resumeWorker();
      const again = await tapAll(activityId, people(10));
      expect(again.map((answer) => answer.body)).toEqual(first.map(({ body }) => ({ ...body, code: '1' })));
      await rain.settled(activityId);
    });
  });

  describe('that has a worker', () => {
    it('answers 202 while Postgres is down, never "sold-out", and later confirms its reservations by itself', async () => {
      await redisIsTrusted();
      const activityId = await rain.createActivity({ packetCount: 20 });
      await rain.tap(activityId, 'first');
      const name = databaseName(rain);
      await onServer(`alter database ${name} allow_connections false`);
      await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where ${backendsOf(rain)}`);
      const answers = await tapAll(activityId, people(19)).finally(() =>
        onServer(`alter database ${name} allow_connections true`),
      );
      expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.code}`))).toEqual(
        new Set(['202 2']),
      );
      expect(new Set(answers.map((answer) => answer.body.redPacketId)).size).toBe(19);

      await waitFor(async () => (await claims(activityId)).length === 20, {
        what: 'the sweep of the journal',
      });
      const again = await tapAll(activityId, people(19));
      expect(again.map((answer) => answer.body.redPacketId)).toEqual(
        answers.map((answer) => answer.body.redPacketId),
      );
      expect(new Set(again.map((answer) => answer.body.code))).toEqual(new Set(['1']));
      await rain.settled(activityId);
    });

    it('raises an alarm while payments have stopped, and does not take a worker out of service', async () => {
      const activityId = await rain.createActivity({ packetCount: 2 });
      const health = async () => (await fetch(`${rain.workerUrl}/health/dependencies`)).status;
      await rain.sql(
        `create function away() returns trigger language plpgsql as $$ begin raise 'away' using errcode = '57P03'; end $$`,
      );
      await rain.sql(`create trigger away before insert on transfer execute function away()`);
      await rain.tap(activityId, 'u0');
      expect(await health()).toBe(200);
      await rain.sql(`update unsettled_claim set queued_at = queued_at - interval '2 minutes'`);
      await waitFor(async () => (await health()) === 503, { what: 'the alarm' });
      expect((await fetch(`${rain.workerUrl}/health/ready`)).status).toBe(200);

      await rain.sql(`drop trigger away on transfer`);
      await waitFor(async () => (await health()) === 200, { what: 'the end of the alarm' });
      await rain.settled(activityId);
      expect((await rain.operator().get('/v1/dead-letters')).body.items).toEqual([]);
    });

    it.each<[string, (proxy: TcpProxy) => void]>([
      ['fell silent', (proxy) => proxy.halfOpen()],
      ['broke', refuse],
    ])(
      'lets a worker finish its job and end with success if its connections to Redis %s',
      async (_, fail) => {
        await rain.worker!.stop();
        const { proxy, url } = await TcpProxy.before(rain.redisEngine.url);
        await rain.startWorker({ REDIS_URL: url });
        const activityId = await rain.createActivity({ packetCount: 20 });
        await rain.sql(`begin`);
        await rain.sql(`lock table account in share mode`);
        await tapAll(activityId, people(20));
        await settlementIsUnderWay();
        fail(proxy);
        const stopped = rain.worker!.stop();
        await rain.sql(`rollback`);
        await stopped;
        await proxy.stop();
        expect(rain.worker!.exitCode).toBe(0);
        expect((await rain.proof(activityId)).claims.pending).toBeLessThan(20);

        await rain.startWorker();
        await rain.settled(activityId);
      },
    );

    it.each(['REDIS_URL', 'DATABASE_URL'] as const)(
      'lets both programs end with success while the server at %s is down',
      async (setting) => {
        const server = setting === 'REDIS_URL' ? rain.redisEngine.url : rain.database.appUrl;
        const { proxy, url } = await TcpProxy.before(server);
        const settings = { [setting]: url };
        const both = await Promise.all([
          rain.startAnother('main.js', settings),
          rain.startAnother('worker.js', settings),
        ]);
        refuse(proxy);
        for (const { url } of both)
          await waitFor(async () => (await fetch(`${url}/health/dependencies`)).status === 503, {
            what: 'the outage to be noticed',
          });
        await Promise.all(both.map(({ program }) => program.stop()));
        await proxy.stop();
        expect(both.map(({ program }) => program.exitCode)).toEqual([0, 0]);
      },
    );

    it('soon pays the claims of a worker that was killed while paying them', async () => {
      const activityId = await rain.createActivity({ packetCount: 20 });
      await rain.sql(`begin`);
      await rain.sql(`lock table account in share mode`);
      await tapAll(activityId, people(20));
      await settlementIsUnderWay();
      process.kill(rain.worker!.pid, 'SIGKILL');
      await onServer(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like 'with due as%' and ${backendsOf(rain)}`,
      );
      await rain.sql(`rollback`);

      await rain.startWorker();
      await rain.settled(activityId);
      expect(await rain.proof(activityId)).toMatchObject({ credited: '100.00', verdict: 'balanced' });
    });

    it('finishes the grabs of an API that was killed between the draw and the confirmation', async () => {
      await rain.pauseWorker();
      const activityId = await rain.createActivity({ packetCount: 5 });
      await rain.sql(`begin`);
      await rain.sql(`select from activity where id = $1 for update`, [activityId]);
      const unanswered = tapAll(activityId, people(5)).catch(() => 'cut off');
      const held = () => rain.redis.hlen(KEYS.activity(activityId).claims);
      await waitFor(async () => (await held()) === 5, { what: 'five reservations' });
      process.kill(rain.api.pid, 'SIGKILL');
      await unanswered;
      await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where ${backendsOf(rain)}`);
      await rain.sql(`rollback`);
      expect(await claims(activityId)).toEqual([]);

      rain.resumeWorker();
      await waitFor(async () => (await claims(activityId)).length === 5, {
        what: 'the sweep of the journal',
      });
      await waitFor(async () => (await rain.redis.xlen(journalOf(activityId))) === 0, {
        what: 'an empty journal',
      });
      const unpaid = () => rain.sql('select from unsettled_claim');
      await waitFor(async () => (await unpaid()).length === 0, { what: 'the settlement' });
      await rain.verify();
    });
  });
});

/** Makes a server look as if it were down. */
function refuse(proxy: TcpProxy): void {
  proxy.mode = 'refuse';
  proxy.reset();
}

const databaseName = (rain: Installation): string => new URL(rain.database.url).pathname.slice(1);

/** A condition that selects the connections of the programs, without those of the test. */
const backendsOf = (rain: Installation): string =>
  `datname = '${databaseName(rain)}' and application_name = 'hongbao'`;
