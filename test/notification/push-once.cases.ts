import { MessageStream, type RedisClient } from '../../libs/redis-scripts';
import type { Notification } from '../../src/extensions/notification';
import type { Program } from '../../src/dev/engines';
import { waitFor } from '../harness/engines';
import { EventClient } from '../harness/event-client';
import { rain } from '../harness/shared-installation';

const USERS = 5;
const MESSAGES = 3_000;

const BATCH_MAX = 200;

describe('five workers that all receive three thousand messages, each published twice', () => {
  const workers: Program[] = [];
  let redis: RedisClient;
  let clients: EventClient[];

  beforeAll(async () => {
    redis = rain.connectToRedis();
    await startWorkers([{}, {}]);
    clients = await Promise.all(
      Array.from({ length: USERS }, (_, i) => EventClient.connect(rain.url, rain.tokenOf(`u${i}`))),
    );
  });

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    redis.disconnect();
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  async function publishAll(prefix: string): Promise<void> {
    const stream = new MessageStream(redis);
    const notifications = Array.from({ length: MESSAGES }, (_, i): Notification => ({
      id: `${prefix}.${i}`,
      event: 'wallet.credited',
      userId: `u${i % USERS}`,
      data: { activityId: '1', at: new Date(0).toISOString() },
    }));
    for (let start = 0; start < MESSAGES; start += 100) {
      const page = notifications.slice(start, start + 100);
      const messages = page.map((one) => ({ id: one.id, text: JSON.stringify(one) }));
      await Promise.all([stream.publish(messages), stream.publish(messages)]);
    }
  }

  async function countPushes(prefix: string): Promise<Map<string, number>> {
    const ids = () =>
      clients.flatMap((client) => client.messageIds).filter((id) => id.startsWith(`${prefix}_`));
    await waitFor(() => new Set(ids()).size === MESSAGES, { what: 'all messages' });
    await waitFor(async () => (await redis.xlen('rp:{events}:messages')) === 0, {
      what: 'the end of all work',
    });
    const counts = new Map<string, number>();
    for (const id of ids()) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  }

  async function startWorkers(settings: NodeJS.ProcessEnv[]): Promise<Program[]> {
    const started = await Promise.all(settings.map((one) => rain.startAnother('worker.js', one)));
    workers.push(...started.map(({ program }) => program));
    return started.map(({ program }) => program);
  }

  it('push each message once, even if three of them are killed after taking messages', async () => {
    const trapped = await startWorkers([1, 2, 3].map((n) => ({ FAILPOINTS: `push.after-take=kill@${n}` })));
    await publishAll('taken');
    const counts = await countPushes('taken');
    expect([...counts.values()].filter((count) => count > 1)).toEqual([]);
    const dead = trapped.filter(({ running }) => !running);
    expect(dead.length).toBeGreaterThan(0);
    await Promise.all(trapped.map((worker) => worker.stop()));
  });

  it('push a message again only if its worker died between pushing it and recording that', async () => {
    const trapped = await startWorkers([1, 2, 3].map((n) => ({ FAILPOINTS: `push.after-push=kill@${n}` })));
    await publishAll('pushed');
    const counts = [...(await countPushes('pushed')).values()];
    const dead = trapped.filter(({ running }) => !running);
    const again = counts.reduce((sum, count) => sum + count - 1, 0);
    console.log(`${MESSAGES} messages; killed after the push ${dead.length}, pushed again ${again}`);
    expect(dead.length).toBeGreaterThan(0);
    expect(again).toBeLessThanOrEqual(dead.length * BATCH_MAX);
    expect(again).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(1 + dead.length);
  });
});
