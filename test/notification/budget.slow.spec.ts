import type { RedisClient } from '../../libs/redis-scripts';
import { messageIdOf, type Notification } from '../../src/extensions/notification';
import { waitFor } from '../harness/engines';
import { onOneServer } from '../harness/on-one-server';
import { EventClient } from '../harness/event-client';
import { Installation } from '../harness/installation';
import { publishingOn } from '../harness/news';

const MESSAGES = 'rp:{events}:messages';
const BUDGET = 100;
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

  it('stay within their budget if no worker pushes them: grabs continue, and listeners receive resync in the end', async () => {
    const listener = await listen('ann');
    const { publisher, budget } = publishingOn(redis, BUDGET);
    await publisher.publish(notificationsTo('ann', 5_000));
    await budget.measureWaiting();
    expect(await redis.xlen(MESSAGES)).toBe(BUDGET);
    expect((await budget['dropped'].get()).values).toMatchObject([{ value: 5_000 - BUDGET }]);
    const activityId = await rain.createActivity();
    expect((await rain.user('bob').post(`/v1/activities/${activityId}/grabs`)).body.code).toBe('0');

    await rain.startWorker();
    await waitFor(async () => (await redis.xlen(MESSAGES)) === 0, { what: 'the messages to be pushed' });
    await budget.measureWaiting();
    await waitFor(() => heard(listener, 'resync').length === 1, { what: 'resync' });
    await publisher.publish(notificationsTo('ann', 1).map((one) => ({ ...one, id: 'test.after' })));
    await waitFor(() => listener.messageIds.includes('test_after'), { what: 'what is published afterwards' });
  });

  onOneServer.it(
    'are dropped while Redis is nearly full, but money moves, and all clients that listen or reconnect receive resync',
    async () => {
      const listener = await listen('ann');
      const away = await listen('bob');
      await waitFor(() => away['lastEventId'] !== undefined, { what: 'the position of bob' });
      const lastEventId = away['lastEventId'];
      await away.close();
      // The server creates this value. A value from a client would stay in a buffer, which is memory, too.
      await redis.setrange(BALLAST, 50_000_000, 'x');
      const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))![1]);
      await redis.config('SET', 'maxmemory', String(Math.round(used / 0.85)));

      await waitFor(
        async () => {
          const activityId = await rain.createActivity({ packetCount: 1 });
          const { body } = await rain.user('ann').post(`/v1/activities/${activityId}/grabs`);
          expect(body.code).toBe('0');
          await rain.settled(activityId);
          return (await rain.metric('hongbao_notifications_dropped_total', rain.workerUrl)) > 0;
        },
        { what: 'notifications to be dropped' },
      );

      await redis.config('SET', 'maxmemory', '0');
      await redis.unlink(BALLAST);
      await waitFor(() => heard(listener, 'resync').length > 0, { what: 'resync' });
      const back = await EventClient.connect(rain.url, rain.tokenOf('bob'), { lastEventId });
      clients.push(back);
      await waitFor(() => heard(back, 'resync').length > 0, { what: 'resync for bob' });
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
