import { activityTopic, Inboxes, MessageStream, type RedisClient, userTopic } from '../../libs/redis-scripts';
import type { Notification } from '../../src/modules/notification';
import { type RedisPlace, startRedisPlace } from '../harness/redis-place';
import { publisherOn } from '../harness/news';

const KEPT_MS = 60_000;

describe('a notification', () => {
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

  const notification = (id: string, activityId: string, userId?: string): Notification => ({
    ...{ id, event: userId === undefined ? 'activity.opened' : 'wallet.credited', userId },
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
});
