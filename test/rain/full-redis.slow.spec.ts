import { Queue, Worker } from 'bullmq';
import { restIfRefused } from '../../src/platform/queue';
import { startTestRedis, waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';
import { Redis } from 'ioredis';

const WINNERS = 12;

describe('payments without the queue', () => {
  let rain: Installation;

  beforeAll(async () => {
    rain = await Installation.startWithWorker({ SWEEP_AGE_MS: '300' });
    await rain.sql(
      `create function away() returns trigger language plpgsql as $$ begin raise 'away' using errcode = '57P03'; end $$`,
    );
  });

  afterAll(() => rain.stop());

  const unpaid = async () => (await rain.sql('select from unsettled_claim')).length;

  const allPaid = () => waitFor(async () => (await unpaid()) === 0, { what: 'the payment' });

  const grab = async (activityId: string, user: string) =>
    (await rain.tap(activityId, user)).body.code as string;

  const workerMetric = (series: string) => rain.metric(series, rain.workerUrl);

  const settledWithoutQueue = () => workerMetric('hongbao_claims_settled_without_queue_total');

  const deleteJobs = async () => {
    const keys = await rain.redis.keys('{bull}:settlement:*');
    if (keys.length > 0) await rain.redis.del(keys);
  };

  async function pauseQueue(): Promise<void> {
    const { hostname: host, port } = new URL(rain.redisEngine.url);
    const queue = new Queue('settlement', { prefix: '{bull}', connection: { host, port: Number(port) } });
    await queue.pause();
    await queue.close();
  }

  async function claimsWithoutPayment(): Promise<string> {
    const activityId = await rain.createActivity({ packetCount: WINNERS + 1 });
    await rain.sql(`create trigger away before insert on transfer execute function away()`);
    for (let i = 0; i < WINNERS; i++) expect(await grab(activityId, `u${i}`)).toBe('0');
    expect(await unpaid()).toBe(WINNERS);
    return activityId;
  }

  const endOutage = () => rain.sql('drop trigger away on transfer');

  it('continue when Redis is full, and the queue works again by itself when there is room', async () => {
    // A worker that has just taken a job would pay its claims when the outage ends.
    await pauseQueue();
    const activityId = await claimsWithoutPayment();
    await rain.redis.config('SET', 'maxmemory', '1');
    await deleteJobs();
    await endOutage();
    await allPaid();
    expect(await settledWithoutQueue()).toBe(WINNERS);

    await rain.redis.config('SET', 'maxmemory', '0');
    await waitFor(async () => (await grab(activityId, 'late')) !== undefined, { what: 'the last packet' });
    await rain.settled(activityId, 90_000);
    const proof = await rain.proof(activityId);
    expect(proof).toMatchObject({ credited: '100.00', verdict: 'balanced' });
  });

  it('continue when the queue accepts jobs but no worker runs them', async () => {
    const before = await settledWithoutQueue();
    const activityId = await rain.createActivity({ packetCount: WINNERS });
    await pauseQueue();
    for (let i = 0; i < WINNERS; i++) expect(await grab(activityId, `u${i}`)).toBe('0');
    await allPaid();
    expect((await settledWithoutQueue()) - before).toBe(WINNERS);
    await deleteJobs();
  });

  it('are made soon, even if the clock of Postgres has dated claims in the future', async () => {
    const activityId = await claimsWithoutPayment();
    await rain.worker!.stop();
    await deleteJobs();
    await rain.sql(`update unsettled_claim set queued_at = queued_at + interval '2 hours'`);
    await endOutage();
    await rain.startWorker();
    await allPaid();
    expect(await workerMetric('hongbao_unsettled_oldest_seconds')).toBeGreaterThanOrEqual(0);
    expect((await rain.proof(activityId)).verdict).toBe('balanced');
  });

  it('never show a negative age of unpaid claims, because it is measured by a monotonic clock', async () => {
    await claimsWithoutPayment();
    await rain.sql(`update unsettled_claim set queued_at = queued_at + interval '2 hours'`);
    await waitFor(async () => (await workerMetric('hongbao_unsettled_oldest_seconds')) >= 2, {
      what: 'an age of the oldest claim that grows',
    });
    await endOutage();
    await allPaid();
    await rain.verify();
  });

  it('continue when Redis is gone altogether', async () => {
    await claimsWithoutPayment();
    await rain.redisEngine.stop();
    await endOutage();
    await allPaid();
  });
});

describe('a worker to which Redis does not hand out jobs', () => {
  it('rests after each refusal instead of asking thousands of times a second, and works again when there is room', async () => {
    const engine = await startTestRedis();
    const redis = new Redis(engine.url);
    const connection = {
      host: '127.0.0.1',
      port: Number(new URL(engine.url).port),
      maxRetriesPerRequest: null,
    };
    const queue = new Queue('jobs', { connection });
    for (let i = 0; i < 3; i++) await queue.add('job', {});
    await redis.config('SET', 'maxmemory', '1');

    const done: string[] = [];
    const work = (job: { id?: string }) => Promise.resolve(done.push(job.id!));
    const worker = new Worker('jobs', work, { connection, autorun: false });
    worker.on('error', (error) => restIfRefused(worker, error));
    const rested: boolean[] = [];
    worker.on('error', () => rested.push(worker.isPaused()));
    void worker.run();
    await waitFor(() => rested.length >= 3, { what: 'three refusals' });
    expect(rested).not.toContain(false);

    await redis.config('SET', 'maxmemory', '0');
    await waitFor(() => done.length === 3, { what: 'the jobs' });
    await worker.close();
    await queue.close();
    redis.disconnect();
    await engine.stop();
  });
});
