import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { activityTopic, Inboxes, MessageStream, type RedisClient, userTopic } from '../../libs/redis-scripts';
import type { Visibility } from '../../src/core/activity';
import { News } from '../../src/extensions/gateway/news';
import { EventGateway, type Notification } from '../../src/extensions/notification';
import { NotificationChannel } from '../../src/extensions/notification/notification-channel';
import { EventStream } from '../../src/extensions/notification/event-sink';
import { WatchableActivities } from '../../src/extensions/notification/watchable-activities';
import type { AppConfig } from '../../src/platform/config';
import { Metrics } from '../../src/platform/telemetry';
import { waitFor } from '../harness/engines';
import { type RedisPlace, startRedisPlace } from '../harness/redis-place';
import { publisherOn, publishingOn } from '../harness/news';

const MESSAGES = 'rp:{events}:messages';
const BUDGET = 100;
const KEPT_MS = 60_000;

let place: RedisPlace;
let redis: RedisClient;

beforeAll(async () => {
  place = await startRedisPlace();
  redis = place.connect();
});

beforeEach(() => redis.flushall());

afterAll(async () => {
  redis.disconnect();
  await place.stop();
});

describe('a notification', () => {
  const notification = (id: string, activityId: string, userId?: string): Notification => ({
    id,
    event: userId === undefined ? 'activity.opened' : 'wallet.credited',
    userId,
    data: { activityId, at: new Date(0).toISOString() },
  });

  it('is published only while its user, or a watcher of its activity, listens', async () => {
    const all = [
      notification('to-ann', '1', 'ann'),
      notification('to-bob', '1', 'bob'),
      notification('about-1', '1'),
      notification('about-2', '2'),
    ];
    await publisherOn(redis).publish(all);
    await new Inboxes(redis).open([userTopic('ann'), activityTopic('2')], KEPT_MS);
    await publisherOn(redis).publish(all);
    const published = await new MessageStream(redis).readNew(redis, '0', 100, 1);
    expect(published.map(({ id }) => id)).toEqual(['to-ann', 'about-2']);
  });

  it('that finds no room in Redis is kept by the channels that can keep it', async () => {
    const { publisher, channels, budget } = publishingOn(redis, 2);
    const kept: string[] = [];
    class Keeping extends NotificationChannel {
      anybodyListens = () => Promise.resolve(true);
      wanted = (all: readonly Notification[]) => Promise.resolve(all);
      push = () => Promise.resolve();
      override keep(some: readonly Notification[]): Promise<void> {
        kept.push(...some.map(({ id }) => id));
        return Promise.resolve();
      }
    }
    channels.join(new Keeping());
    await publisher.publish([notification('a', '1'), notification('b', '1'), notification('c', '1')]);
    expect(kept).toEqual(['c']);
    await budget.measureWaiting();
    await publisher.publish([notification('d', '1')]);
    expect(kept).toEqual(['c', 'd']);
  });
});

it('an event stream ends after a quarter of an hour, so that the token of its listener is judged again', async () => {
  const watchable = new WatchableActivities({} as Visibility);
  const config = { EVENT_CONNECTIONS_MAX: 1 } as AppConfig;
  const server = {} as HttpAdapterHost<FastifyAdapter>;
  const gateway = new EventGateway(redis, new Inboxes(redis), watchable, config, server, new Metrics());
  const stream = new EventStream(new ServerResponse(new IncomingMessage(new Socket())));
  const caller = { userId: 'ann', role: 'user' } as const;
  await gateway.serve({ caller, keys: {}, activityIds: [], lastPosition: undefined }, () => stream);
  const now = performance.now();
  const isOpenAfter = async (minutes: number) => {
    jest.spyOn(performance, 'now').mockReturnValue(now + minutes * 60_000);
    await gateway.tick();
    return stream.isOpen;
  };
  expect([await isOpenAfter(14), await isOpenAfter(16)]).toEqual([true, false]);
  jest.restoreAllMocks();
  gateway.onApplicationShutdown();
});

it('a connection that takes the place of another one finds room where no further one would', async () => {
  const watchable = new WatchableActivities({} as Visibility);
  const config = { EVENT_CONNECTIONS_MAX: 1 } as AppConfig;
  const server = {} as HttpAdapterHost<FastifyAdapter>;
  const gateway = new EventGateway(redis, new Inboxes(redis), watchable, config, server, new Metrics());
  const caller = { userId: 'ann', role: 'user' } as const;
  const client = { isOpen: true };
  let news: News | undefined;
  const serve = (replacesOne?: boolean) =>
    gateway.serve({ caller, keys: {}, activityIds: [], lastPosition: undefined, replacesOne }, () => {
      news?.stop();
      return (news = new News(client, () => undefined));
    });
  await serve();
  await expect(serve()).rejects.toMatchObject({ status: 503 });
  await serve(true);
  expect(news!.isOpen).toBe(true);
  gateway.onApplicationShutdown();
});

describe('the memory of notifications in Redis', () => {
  it('is limited, however many were pushed: only the last are remembered as pushed', async () => {
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

  it('has at most a fixed number of inboxes, whatever activities are requested, until some expire', async () => {
    const inboxes = new Inboxes(redis, 3);
    const [mine, ...more] = [userTopic('ann'), ...[1, 2].map((id) => activityTopic(String(id)))];
    const asBob = () => inboxes.open([userTopic('bob')], KEPT_MS);
    await inboxes.open([mine, ...more], KEPT_MS);
    expect(await asBob()).toBe('full');
    expect(await inboxes.open([mine], KEPT_MS)).toMatchObject({ topics: [mine] });
    expect(await redis.keys('rp:{events}:inbox:*')).toHaveLength(3);
    await inboxes.open([mine, ...more], 1);
    await waitFor(async () => (await asBob()) !== 'full', { what: 'room for another inbox' });
  });

  it('has at most a fixed number of inboxes per user, so that one user does not use up those of others', async () => {
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

  it('is not used for a topic that will have no more news, unless its inbox is already open', async () => {
    const inboxes = new Inboxes(redis);
    const [mine, over, unknown] = [userTopic('eve'), activityTopic('77'), activityTopic('78')];
    await inboxes.open([mine, over], KEPT_MS);
    const opened = await inboxes.open([mine, over, unknown], KEPT_MS, (topic) => topic === mine);
    expect(opened).toMatchObject({ topics: [mine, over] });
    expect(await inboxes.openAmong([unknown])).toEqual(new Set());
  });
});
