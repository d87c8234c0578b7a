import { Queue } from 'bullmq';
import { redisAppUrl, startTestRedis, waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';
import { rain } from '../harness/shared-installation';
import { TcpProxy } from '../harness/tcp-proxy';
import { WebhookReceiver } from '../harness/webhook-receiver';
import { publish, pushed, register } from '../webhook/support';

const portOf = (url: string): number => Number(new URL(url).port);

describe('a running installation whose Redis is replaced by the Redis of another installation', () => {
  it('confirms no win, closes and refunds nothing, takes and sends no messages, reports it, and continues when its own Redis is back', async () => {
    const own = await startTestRedis();
    const { proxy, url } = await TcpProxy.before(own.url);
    const settings = { REDIS_URL: redisAppUrl(url), WEBHOOK_PRIVATE_ADDRESSES: 'true' };
    const guest = await Installation.startWithWorker(settings);
    const receiver = await WebhookReceiver.start();
    const webhook = await register(guest, `${receiver.url}/guest`);
    const activityId = await rain.createActivity({ packetCount: 3 });
    await guest.sql(`alter table activity alter column id restart with ${activityId}`);
    expect(await guest.createActivity({ packetCount: 3 })).toBe(activityId);
    const grab = `/v1/activities/${activityId}/grabs`;
    await waitFor(async () => (await rain.user('ann').post(grab)).status === 200, { what: 'Ann’s packet' });
    await waitFor(async () => (await guest.user('bob').post(grab)).status === 200, { what: 'Bob’s packet' });
    const channel = { name: 'Guest', profile: { smallest: '0.01' } };
    const channelId = (await guest.operator().post('/v1/payout-channels', channel)).body.id as string;
    await guest.operator().post('/v1/wallets/bob/deposits', { amount: '1.00' });
    const payout = await guest.user('bob').post('/v1/me/payouts', { amount: '1.00', channelId });
    expect((await guest.channel(channelId).get(`/v1/payout-channels/${channelId}/waiting`)).status).toBe(200);

    proxy.pointAt(portOf(rain.redisEngine.url));
    proxy.reset();
    await guest.sql('update activity set closes_at = clock_timestamp()');
    const health = async (url: string) => (await fetch(`${url}/health/dependencies`)).text();
    const says = (url: string) =>
      waitFor(async () => (await health(url)).includes('redis belongs to another installation'), {
        what: 'what is wrong with Redis',
      });
    const taps = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => guest.user(`u${i}`).post(grab)),
    );
    expect(new Set(taps.map(({ status }) => status))).toEqual(new Set([503]));
    await Promise.all([says(guest.url), says(guest.workerUrl)]);
    expect((await guest.user('u0').post(grab)).status).toBe(503);
    await waitFor(async () => (await guest.user('bob').post(grab)).body.code === '1', {
      what: 'Bob’s packet, which Postgres knows',
    });
    expect((await guest.operator().post(`/v1/activities/${activityId}/close`)).status).toBe(503);

    await rain.pauseWorker();
    const connection = rain.connectToRedis();
    const queue = new Queue(`webhook-${webhook.id}`, { connection, prefix: '{bull}' });
    const message = { id: 'others', event: 'wallet.credited', body: '{}' };
    const job = await queue.add('deliver', { message }, { attempts: 2, backoff: 600_000 });
    await publish(rain, 1, { prefix: 'others' });
    const outcomes = [{ id: payout.body.id, outcome: 'paid' }];
    expect((await guest.channel(channelId).post('/v1/payouts/outcomes', { outcomes })).status).toBe(200);
    const publishedAt = Date.now() / 1_000;
    const lastLook = () =>
      guest.metric('hongbao_task_last_success_timestamp_seconds{task="SweepMessages"}', guest.workerUrl);
    await waitFor(async () => (await lastLook()) > publishedAt + 1, {
      what: 'a worker of the guest to look',
    });
    const messages = await rain.redis.xlen('rp:{events}:messages');
    expect([messages, await job.getState(), receiver.idsAt('/guest')]).toEqual([
      1,
      expect.stringMatching(/waiting|delayed/),
      expect.not.arrayContaining(['others']),
    ]);
    await job.remove();
    connection.disconnect();
    rain.resumeWorker();
    await pushed(rain);

    expect(await rain.proof(activityId)).toMatchObject({
      redis: { status: 'open', packetsLeft: 2, held: 1 },
    });
    expect((await rain.user('cem').post(grab)).body.code).toBe('0');
    await rain.settled(activityId);
    await rain.verify();
    const { status } = await guest.row<{ status: string }>(`select status from activity`);
    expect(status).toBe('active');

    proxy.pointAt(portOf(own.url));
    proxy.reset();
    const isClosed = async () => (await guest.proof(activityId)).refunded !== '0.00';
    await waitFor(isClosed, { what: 'the end of the rain on its own Redis' });
    await guest.settled(activityId);
    await waitFor(() => receiver.at('/guest').some(({ body }) => body.type === 'payout.paid'), {
      what: 'the news of the payout',
    });
    await guest.verify();
    await guest.stop();
    await Promise.all([proxy.stop(), own.stop(), receiver.stop()]);
  });
});
