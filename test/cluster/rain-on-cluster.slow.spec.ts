import { EventClient } from '../harness/event-client';
import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';
import { RedisCluster } from '../harness/redis-cluster';
import { WebhookReceiver } from '../harness/webhook-receiver';
import { RedisKeys } from '../../libs/redis-scripts';
import { IMPATIENT, register } from '../webhook/support';
import { insist } from './support';

const KEYS = new RedisKeys(16, { inCluster: true });
const USERS = 300;
const PACKETS = 100;

let cluster: RedisCluster;
let rain: Installation;
let receiver: WebhookReceiver;

beforeAll(async () => {
  [cluster, receiver] = await Promise.all([RedisCluster.start(), WebhookReceiver.start()]);
  rain = await Installation.startWithWorker({ ...cluster.env, ...IMPATIENT });
});

afterAll(async () => {
  await rain.stop();
  await receiver.stop();
  await cluster.stop();
});

/** A worker that knows of a webhook looks at its queue, whose key has its own hash tag. */
async function known(key: string): Promise<void> {
  const queues = cluster.admin(await cluster.masterOf(key));
  await waitFor(() => queues.exists(key), { what: 'a worker that knows the webhook' });
}

const people = Array.from({ length: USERS }, (_, i) => `u${i}`);

describe('a rain on a cluster of three masters', () => {
  it('gives every packet to a user and pays it, notifies users and webhooks, and agrees with Postgres', async () => {
    const { id } = await register(rain, `${receiver.url}/all`, ['wallet.credited']);
    await known(`{bull:webhook-${id}}:webhook-${id}:meta`);
    const listener = await EventClient.connect(rain.url, rain.tokenOf('u0'));
    const activityId = await rain.createActivity({ packetCount: USERS });
    const answers = await Promise.all([...people, ...people].map((user) => insist(rain, activityId, user)));
    expect(answers.filter(({ body }) => body.code === '0')).toHaveLength(USERS);
    expect(answers.filter(({ body }) => body.code === '1')).toHaveLength(USERS);

    await rain.settled(activityId);
    await waitFor(() => listener.heard.some(({ event }) => event === 'wallet.credited'), {
      what: 'an event',
    });
    await waitFor(() => receiver.at('/all').length >= USERS, { what: 'all messages to the webhook' });
    await listener.close();
    await rain.verify();
  });

  it('survives the death of a master: every winner keeps the packet of their answer, and all packets are paid', async () => {
    const activityId = await rain.createActivity({ packetCount: PACKETS });
    const key = KEYS.activity(activityId).state;
    const master = await cluster.masterOf(key);
    const half = await Promise.all(
      people.slice(0, PACKETS / 2).map((user) => insist(rain, activityId, user)),
    );
    expect(half.every(({ body }) => body.code === '0')).toBe(true);

    const rest = people.map((user) => insist(rain, activityId, user));
    await master.kill();
    const answers = await Promise.all(rest);
    const won = new Map<string, string>();
    answers.forEach(({ body }, i) => {
      if (body.code === '0' || body.code === '1') won.set(people[i]!, body.redPacketId);
    });
    expect(won.size).toBe(PACKETS);
    expect(new Set(won.values()).size).toBe(PACKETS);
    half.forEach(({ body }, i) => expect(won.get(people[i]!)).toBe(body.redPacketId));

    await rain.settled(activityId, 60_000);
    for (const [user, redPacketId] of won)
      expect((await insist(rain, activityId, user)).body).toMatchObject({ code: '1', redPacketId });
    await waitFor(() => rain.verify().then(() => true), { what: 'books and Redis that agree' });
    await master.restart();
    await cluster.isWhole();
  });

  it('opens, is drawn from and is paid on the other masters while one is down', async () => {
    const key = KEYS.journal(0);
    const master = await cluster.masterOf(key);
    const replica = await cluster.replicaOf(master);
    await replica.kill();
    await master.kill();
    const elsewhere = async () => {
      const activityId = await rain.createActivity({ packetCount: 2 });
      return (await cluster.masterOf(KEYS.activity(activityId).state)) === master ? undefined : activityId;
    };
    const activityId = (await waitFor(elsewhere, { what: 'a rain on another master' }))!;
    expect((await insist(rain, activityId, 'ann')).body.code).toBe('0');
    expect((await insist(rain, activityId, 'bob')).body.code).toBe('0');
    await rain.settled(activityId, 60_000);
    await Promise.all([master.restart(), replica.restart()]);
    await cluster.isWhole();
    await waitFor(() => rain.verify().then(() => true), { what: 'books and Redis that agree' });
  });
});
