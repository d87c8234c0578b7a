import { activityTopic, Inboxes, MessageStream, type RedisClient, userTopic } from '../../libs/redis-scripts';
import { messageIdOf, type Notification } from '../../src/modules/notification';
import { waitFor } from '../harness/engines';
import { onOneServer } from '../harness/on-one-server';
import { type RedisPlace, startRedisPlace } from '../harness/redis-place';
import { EventClient } from '../harness/event-client';
import { Installation } from '../harness/installation';
import { publishingOn } from '../harness/news';

const MESSAGES = 'rp:{events}:messages';
const BUDGET = 100;
const KEPT_MS = 60_000;
const BALLAST = 'rp:ballast';

const notificationsTo = (userId: string, count: number): Notification[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `test.${userId}.${i}`,
    event: 'wallet.credited',
    userId,
    data: { activityId: '1', at: new Date(0).toISOString() },
  }));

const heard = (client: EventClient, event: string) => client.heard.filter((one) => one.event === event);

describe('notifications of a whole system', () => {
  let rain: Installation;
  let redis: RedisClient;
  const clients: EventClient[] = [];

  beforeAll(async () => {
    rain = await Installation.start();
    redis = rain.connectToRedis();
  });

  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  afterAll(async () => {
    redis.disconnect();
    await rain.stop();
  });

  async function listen(user: string): Promise<EventClient> {
    const client = await EventClient.connect(rain.url, rain.tokenOf(user));
    clients.push(client);
    return client;
  }

  async function workerMetric(name: string): Promise<number> {
    const text = await (await fetch(`${rain.workerUrl}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)![1]);
  }

  it('stay within their budget when no worker pushes them: grabs go on, and listeners receive resync at the end', async () => {
    const listener = await listen('ann');
    const { publisher, budget } = publishingOn(redis, BUDGET);
    await publisher.publish(notificationsTo('ann', 5_000));
    await budget.look();
    expect(await redis.xlen(MESSAGES)).toBe(BUDGET);
    expect((await budget['dropped'].get()).values).toMatchObject([{ value: 5_000 - BUDGET }]);
    const activityId = await rain.createActivity();
    expect((await rain.user('bob').post(`/v1/activities/${activityId}/grabs`)).body.code).toBe('0');

    await rain.startWorker();
    await waitFor(async () => (await redis.xlen(MESSAGES)) === 0, { what: 'the messages to be pushed' });
    await budget.look();
    await waitFor(() => heard(listener, 'resync').length === 1, { what: 'resync' });
    await publisher.publish(notificationsTo('ann', 1).map((one) => ({ ...one, id: 'test.after' })));
    await waitFor(() => listener.messageIds.includes('test_after'), { what: 'what is published afterwards' });
  });

  onOneServer.it(
    'are dropped while Redis is nearly full, but money moves, and all clients that listen or come back receive resync',
    async () => {
      const listener = await listen('ann');
      const away = await listen('bob');
      await waitFor(() => away['lastEventId'] !== undefined, {
        what: 'the position of the one who goes away',
      });
      const lastEventId = away['lastEventId'];
      await away.close();
      // The server makes this value. A value from a client would stay in a buffer, also memory.
      await redis.setrange(BALLAST, 50_000_000, 'x');
      const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))![1]);
      await redis.config('SET', 'maxmemory', String(Math.round(used / 0.85)));

      await waitFor(
        async () => {
          const activityId = await rain.createActivity({ packetCount: 1 });
          const { body } = await rain.user('ann').post(`/v1/activities/${activityId}/grabs`);
          expect(body.code).toBe('0');
          await rain.settled(activityId);
          return (await workerMetric('hongbao_notifications_dropped_total')) > 0;
        },
        { what: 'notifications to be dropped' },
      );

      await redis.config('SET', 'maxmemory', '0');
      await redis.unlink(BALLAST);
      await waitFor(() => heard(listener, 'resync').length > 0, { what: 'resync' });
      const back = await EventClient.connect(rain.url, rain.tokenOf('bob'), { lastEventId });
      clients.push(back);
      await waitFor(() => heard(back, 'resync').length > 0, { what: 'resync for the one who comes back' });
    },
  );

  it('are pushed after a while even if their stream ids lie in the future', async () => {
    await rain.worker!.stop();
    const listener = await listen('cid');
    const [overdue] = notificationsTo('cid', 1);
    const inTwoHours = Number((await redis.time())[0]) * 1000 + 7_200_000;
    await redis.xadd(MESSAGES, `${inTwoHours}-0`, overdue!.id, JSON.stringify(overdue));
    await rain.startWorker();
    await waitFor(() => listener.messageIds.includes(messageIdOf(overdue!)), { what: 'the message' });
  });
});

describe('the memory of notifications in Redis', () => {
  let place: RedisPlace;
  let redis: RedisClient;

  beforeAll(async () => {
    place = await startRedisPlace();
    redis = place.connect();
  });

  afterAll(async () => {
    redis.disconnect();
    await place.stop();
  });

  it('is bounded however many were pushed: the last ones are known as pushed, and nothing else is left', async () => {
    const stream = new MessageStream(redis, BUDGET);
    const texts = Array.from({ length: 10 * BUDGET }, (_, i) => ({ id: `m.${i}`, text: String(i) }));
    for (let start = 0; start < texts.length; start += 50) {
      await stream.publish(texts.slice(start, start + 50));
      const received = await stream.readUpTo('+', 50);
      await stream.finish((await stream.take(received, 'taker', KEPT_MS)).mine);
    }
    expect((await redis.keys('rp:{events}:*')).sort()).toEqual(['rp:{events}:done', MESSAGES]);
    expect(await redis.zcard('rp:{events}:done')).toBe(BUDGET);

    await stream.publish(texts.slice(-5));
    const again = await stream.take(await stream.readUpTo('+', 50), 'another', KEPT_MS);
    expect(again.mine).toEqual([]);
    expect(again.done).toHaveLength(5);
  });

  it('has at most a fixed number of inboxes, whatever activities strangers ask for, until some are given up', async () => {
    const inboxes = new Inboxes(redis, 3);
    const [mine, ...more] = [userTopic('ann'), ...[1, 2].map((id) => activityTopic(String(id)))];
    const asBob = () => inboxes.open([userTopic('bob')], KEPT_MS);
    await inboxes.open([mine, ...more], KEPT_MS);
    expect(await asBob()).toBe('full');
    expect(await inboxes.open([mine], KEPT_MS)).toMatchObject({ topics: [mine] });
    expect(await redis.keys('rp:{events}:inbox:*')).toHaveLength(3);
    await inboxes.open([mine, ...more], 1);
    await waitFor(async () => (await asBob()) !== 'full', { what: 'room for another one' });
  });

  it('has at most a fixed number of inboxes for one user, who does not keep others from theirs', async () => {
    const inboxes = new Inboxes(redis);
    const greedy = userTopic('greedy');
    const listen = (mine: string, page: number) =>
      inboxes.open([mine, ...Array.from({ length: 10 }, (_, i) => activityTopic(`${page}${i}`))], KEPT_MS);
    const answers: unknown[] = [];
    for (let page = 100; page < 115; page++) answers.push(await listen(greedy, page));
    expect(answers.indexOf('too-many')).toBe(12);
    expect(await listen(greedy, 111)).toMatchObject({ topics: expect.any(Array) });
    expect(await listen(userTopic('modest'), 112)).toMatchObject({ topics: expect.any(Array) });
    expect(await listen(greedy, 112)).toMatchObject({ topics: expect.any(Array) });
  });

  it('is not taken by a topic of which nothing new will come, unless its inbox is open already', async () => {
    const inboxes = new Inboxes(redis);
    const [mine, over, unknown] = [userTopic('eve'), activityTopic('77'), activityTopic('78')];
    await inboxes.open([mine, over], KEPT_MS);
    const opened = await inboxes.open([mine, over, unknown], KEPT_MS, (topic) => topic === mine);
    expect(opened).toMatchObject({ topics: [mine, over] });
    expect(await inboxes.openAmong([unknown])).toEqual(new Set());
  });
});
