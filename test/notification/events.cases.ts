import { activityTopic, Inboxes, MessageStream } from '../../libs/redis-scripts';
import type { Notification } from '../../src/extensions/notification';
import { waitFor } from '../harness/engines';
import { EventClient } from '../harness/event-client';
import { onOneServer } from '../harness/on-one-server';
import { rain } from '../harness/shared-installation';
import { TcpProxy } from '../harness/tcp-proxy';

describe('events', () => {
  const clients: EventClient[] = [];
  const proxies: TcpProxy[] = [];

  beforeAll(() => rain.startWorker());

  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  afterAll(async () => {
    await rain.worker!.stop();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  });

  async function listen(
    user: string,
    options: { url?: string; lastEventId?: string; activityId?: string } = {},
  ) {
    const { url = rain.url, ...rest } = options;
    const client = await EventClient.connect(url, rain.tokenOf(user), rest);
    clients.push(client);
    return client;
  }

  const heard = (client: EventClient, count: number) =>
    waitFor(() => client.heard.length >= count, { what: `${count} events` });

  it('notify winners of their packet and of their money, in all of their tabs and on all hosts', async () => {
    const { url } = await rain.startAnother('main.js');
    const tabs = [await listen('ann'), await listen('ann'), await listen('ann', { url })];
    const stranger = await listen('bob');
    const activityId = await rain.createActivity();
    const { body } = await rain.user('ann').post(`/v1/activities/${activityId}/grabs`);
    for (const tab of tabs) {
      await heard(tab, 2);
      const about = { activityId, redPacketId: body.redPacketId, amount: body.amount };
      expect(tab.heard).toMatchObject([
        { event: 'packet.confirmed', data: about },
        { event: 'wallet.credited', data: about },
      ]);
    }
    expect(stranger.heard).toEqual([]);
    expect((await rain.user('ann').get('/v1/me/wallet')).body.balance).toBe(body.amount);
  });

  it('notify watchers of an activity that it opens, is sold out, opens again, and ends', async () => {
    const activityId = await rain.createActivity({ packetCount: 1, totalAmount: '1.00', opensInMs: 3_000 });
    const watcher = await listen('kim', { activityId });
    const stranger = await listen('cid');
    await heard(watcher, 1);
    await rain.user('lou').post(`/v1/activities/${activityId}/grabs`);
    await heard(watcher, 2);
    const operator = rain.operator();
    await operator.post('/v1/wallets/sponsor/deposits', { amount: '1.00' });
    await operator.post(`/v1/activities/${activityId}/top-ups`, { amount: '1.00', packetCount: 1 });
    await heard(watcher, 3);
    await operator.post(`/v1/activities/${activityId}/close`);
    await heard(watcher, 4);
    expect(watcher.heard.map(({ event, data }) => [event, data.activityId])).toEqual([
      ['activity.opened', activityId],
      ['activity.sold-out', activityId],
      ['activity.opened', activityId],
      ['activity.closed', activityId],
    ]);
    expect(stranger.heard).toEqual([]);
  });

  it('are not lost if an API process dies and its clients reconnect to another', async () => {
    const { program, url } = await rain.startAnother('main.js');
    const client = await listen('dan', { url });
    const publish = publisher();
    await publish.many('dan', 0, 50);
    await heard(client, 20);
    process.kill(program.pid, 'SIGKILL');
    await publish.many('dan', 50, 150);
    client.url = rain.url;
    await heard(client, 150);
    await publish.many('dan', 150, 200);
    await heard(client, 200);
    expect(client.messageIds).toEqual(Array.from({ length: 200 }, (_, i) => `test_dan_${i}`));
    publish.end();
  });

  it('end with the server, which stops in time, and continue with the next server', async () => {
    const { program, url } = await rain.startAnother('main.js');
    const client = await listen('eve', { url });
    await program.stop();
    expect(program.exitCode).toBe(0);
    const publish = publisher();
    await publish.many('eve', 0, 10);
    client.url = rain.url;
    await heard(client, 10);
    publish.end();
  });

  onOneServer.it(
    'continue when Redis comes back and does not answer the process that subscribes again',
    async () => {
      const redisUrl = new URL(rain.redisEngine.url);
      const proxy = await TcpProxy.start(Number(redisUrl.port));
      proxies.push(proxy);
      redisUrl.port = String(proxy.port);
      const { program, url } = await rain.startAnother('main.js', { REDIS_URL: redisUrl.href });
      proxy.freezesAt = '\r\nsubscribe\r\n';
      proxy.reset();
      await waitFor(() => program.output.includes('Cannot subscribe'), { what: 'the missing answer' });
      proxy.heal();
      const client = await waitFor(() => listen('ida', { url }), { what: 'the process to serve again' });
      expect(program.exitCode).toBeNull();
      const publish = publisher();
      await publish.many('ida', 0, 1);
      await heard(client, 1);
      publish.end();
    },
  );

  it('take no space in Redis for an activity that does not exist or is over, and a winner still receives their own', async () => {
    const over = await rain.createActivity();
    await rain.operator().post(`/v1/activities/${over}/close`);
    const open = await rain.createActivity();
    for (const activityId of [over, '999999', open]) await listen('hal', { activityId });
    const redis = rain.connectToRedis();
    expect(await new Inboxes(redis).openAmong([over, '999999', open].map(activityTopic))).toEqual(
      new Set([activityTopic(open)]),
    );
    redis.disconnect();
    await rain.user('hal').post(`/v1/activities/${open}/grabs`);
    for (const client of clients) await heard(client, 2);
  });

  it('warn clients that were disconnected for too long that events may be missing', async () => {
    const client = await listen('fay', { lastEventId: '1000000000000000' });
    await heard(client, 1);
    expect(client.heard).toMatchObject([{ event: 'resync' }]);
  });

  it.each(['x', '-1', '1'.repeat(17), '1.5'])('refuse the Last-Event-ID %j', async (id) => {
    const response = await fetch(`${rain.url}/v1/me/events`, {
      headers: { authorization: `Bearer ${rain.tokenOf('ann')}`, 'last-event-id': id },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ field: 'Last-Event-ID' }] });
  });

  it('do not add a listener for HEAD, which gets the same status and headers as GET', async () => {
    const headers = { authorization: `Bearer ${rain.tokenOf('hal')}` };
    for (let i = 0; i < 11; i++) {
      const answer = await fetch(`${rain.url}/v1/me/events`, { method: 'HEAD', headers });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    }
    await listen('hal');
  });

  it('are refused to a user who already has ten connections', async () => {
    for (let i = 0; i < 10; i++) await listen('gil');
    const { status, body, headers } = await rain.user('gil').get('/v1/me/events');
    expect([status, body.code, headers.get('retry-after')]).toEqual([
      429,
      'events.too_many_connections',
      '5',
    ]);
  });

  /** Publishes messages like a worker, in any number. */
  function publisher() {
    const redis = rain.connectToRedis();
    const stream = new MessageStream(redis);
    const notification = (userId: string, i: number): Notification => ({
      id: `test.${userId}.${i}`,
      event: 'wallet.credited',
      userId,
      data: { activityId: '1', at: new Date(0).toISOString() },
    });
    return {
      many: (userId: string, from: number, to: number) =>
        stream.publish(
          Array.from({ length: to - from }, (_, i) => notification(userId, from + i)).map((one) => ({
            id: one.id,
            text: JSON.stringify(one),
          })),
        ),
      end: () => redis.disconnect(),
    };
  }
});
