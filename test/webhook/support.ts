import { MessageStream } from '../../libs/redis-scripts';
import type { Notification } from '../../src/extensions/notification';
import { waitFor } from '../harness/engines';
import type { Installation } from '../harness/installation';

export interface Registered {
  readonly id: string;
  readonly secret: string;
}

/** Short times, so that tests do not wait for tasks that take minutes in production. */
export const IMPATIENT = {
  WEBHOOK_PRIVATE_ADDRESSES: 'true',
  WEBHOOK_ATTEMPTS_MAX: '3',
  WEBHOOK_BACKOFF_MS: '40',
};

export async function register(rain: Installation, url: string, events?: string[]): Promise<Registered> {
  const { status, body } = await rain.operator().post('/v1/webhooks', { url, events });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as Registered;
}

/** A worker delivers what it knows, and an API pushes its own news to what it has read since. */
export async function known(rain: Installation, { id }: Registered): Promise<void> {
  const registered = Date.now() / 1000;
  await waitFor(() => rain.redis.exists(rain.queueKey(`webhook-${id}`, 'meta')), {
    what: `a worker to know webhook ${id}`,
  });
  await waitFor(async () => (await readAt(rain)) > registered, { what: `the API to know webhook ${id}` });
}

/** When the API last began to read webhooks, in Unix time. */
async function readAt(rain: Installation): Promise<number> {
  const metrics = await (await fetch(`${rain.url}/metrics`)).text();
  const [endedAt, seconds] = ['timestamp', 'duration'].map((what) =>
    Number(
      new RegExp(`^hongbao_task_last_success_${what}_seconds\\{.*"WebhookDirectory".*\\} (.*)$`, 'm').exec(
        metrics,
      )?.[1],
    ),
  );
  return endedAt! - seconds!;
}

export const deadLettersOf = async (rain: Installation, { id }: Registered) =>
  (await rain.operator().get(`/v1/webhooks/${id}/dead-letters`)).body.items as Record<string, unknown>[];

/** Publishes events that never happened, as the modules do, and returns the ids under which webhooks get them. */
export async function publish(
  rain: Installation,
  count: number,
  { event = 'wallet.credited', prefix = 'test' }: { event?: string; prefix?: string } = {},
): Promise<string[]> {
  const redis = rain.connectToRedis();
  const notifications = Array.from({ length: count }, (_, i): Notification => ({
    id: `${prefix}.${i}`,
    event,
    userId: 'ann',
    data: { activityId: '1', at: new Date(0).toISOString() },
  }));
  const messages = notifications.map((one) => ({ id: one.id, text: JSON.stringify(one) }));
  await new MessageStream(redis).publish(messages);
  redis.disconnect();
  return notifications.map(({ id }) => id.replace('.', '_'));
}

/** Everything that was published has been handed to the queues. */
export const pushed = (rain: Installation): Promise<unknown> =>
  waitFor(async () => (await rain.redis.xlen('rp:{events}:messages')) === 0, { what: 'all to be pushed' });
