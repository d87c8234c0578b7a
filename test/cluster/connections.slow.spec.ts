import { Logger } from '@nestjs/common';
import { Inboxes, MessageStream, type RedisClient } from '../../libs/redis-scripts';
import { eventKeys } from '../../libs/redis-scripts';
import { Subscription } from '../../src/platform/redis';
import type { ClusterNode } from '../harness/cluster-node';
import { Dispensing, packetsUpTo } from '../harness/dispensing';
import { waitFor } from '../harness/engines';
import { RedisCluster } from '../harness/redis-cluster';
import { connectionsOf, SHARDS } from './support';

let cluster: RedisCluster;
let redis: RedisClient;
let rains: Dispensing;

beforeAll(async () => {
  Logger.overrideLogger(false);
  cluster = await RedisCluster.start();
  redis = await connectionsOf(cluster.env).serving();
  rains = Dispensing.over(redis, SHARDS);
});

afterAll(async () => {
  redis.disconnect();
  await cluster.stop();
});

async function shardsByNode(): Promise<Map<ClusterNode, number[]>> {
  const nodes = new Map<ClusterNode, number[]>();
  for (const shard of rains.keys.shards) {
    const node = await cluster.masterOf(rains.keys.journal(shard));
    nodes.set(node, [...(nodes.get(node) ?? []), shard]);
  }
  return nodes;
}

/** Returns whether a draw is answered. It fails with an error when it is not, and never waits. */
const answers = (activityId: string): Promise<boolean> =>
  rains.draw(activityId, 'ann').then(
    () => true,
    () => false,
  );

describe('a connection to a cluster', () => {
  it.each([
    ['a wrong password', { REDIS_PASSWORD: 'wrong' }, 'REDIS_CLUSTER_NODES'],
    ['nodes that do not exist', { REDIS_CLUSTER_NODES: '127.0.0.1:1' }, 'REDIS_CLUSTER_NODES'],
  ])('with %s is refused', async (_, env, named) => {
    await expect(connectionsOf({ ...cluster.env, ...env }).serving()).rejects.toThrow(
      `Redis (${named}) cannot be reached.`,
    );
  });
});

describe('a cluster of three masters', () => {
  it('has shards on every master, and on each master a key to address it by', async () => {
    const nodes = await shardsByNode();
    expect(Array.from(nodes.values(), ({ length }) => length).sort()).toEqual([5, 5, 6]);
    const { keys } = rains.own.servers;
    expect(new Set(await Promise.all(keys.map((key) => cluster.masterOf(key))))).toEqual(
      new Set(nodes.keys()),
    );
    expect(await rains.own.servers.factsOfAll()).toHaveLength(3);
  });

  it('needs no more rights for the user of the programs than a single server does', async () => {
    await expect(redis.flushall()).rejects.toThrow(/NOPERM|no permissions/i);
    await expect(redis.config('GET', 'requirepass')).rejects.toThrow(/NOPERM|no permissions/i);
  });

  it('deals, journals and lists what each of its shards holds', async () => {
    const ids: string[] = [];
    for (const shard of rains.keys.shards) ids.push(await rains.rain(packetsUpTo(2), undefined, shard));
    for (const id of ids) {
      expect(await rains.draw(id, 'ann', 'bob', 'cem')).toMatchObject([
        { kind: 'won' },
        { kind: 'won' },
        { kind: 'sold-out' },
      ]);
      expect(await rains.standings.readStanding(rains.keys.placeOf(id))).toMatchObject({
        status: 'open',
        packetsLeft: 0,
        held: 2,
      });
    }
    const found = new Set<string>();
    for await (const page of rains.contents.places()) page.forEach(({ id }) => found.add(id));
    expect([...found].sort()).toEqual([...ids].sort());
    await rains.contents.remove(ids.map((id) => rains.keys.placeOf(id)));
    for await (const page of rains.contents.places()) expect(page).toEqual([]);
  });
});

describe('a master of a cluster', () => {
  let nodes: Map<ClusterNode, number[]>;
  let lost: ClusterNode;
  let [there, elsewhere]: string[] = [];

  beforeEach(async () => {
    nodes = await shardsByNode();
    const [[first, [shard]], [, [other]]] = [...nodes] as [[ClusterNode, number[]], [ClusterNode, number[]]];
    lost = first;
    there = await rains.rain(packetsUpTo(3), undefined, shard);
    elsewhere = await rains.rain(packetsUpTo(3), undefined, other);
  });

  /** Other shards answer while the shards of the lost master fail; in the end all answer. */
  async function outage(): Promise<void> {
    let failures = 0;
    const isBack = async () => {
      if (await answers(there!)) return failures > 0;
      failures += 1;
      expect(await answers(elsewhere!)).toBe(true);
      return false;
    };
    await waitFor(isBack, { what: 'an outage, and its end' });
    expect(await rains.draw(there!, 'ann')).toMatchObject([{ kind: 'already' }]);
  }

  it('that is killed fails only its own shards until its replica has taken over', async () => {
    await rains.draw(there!, 'ann');
    await waitFor(async () => cluster.isInStep(lost), { what: 'the replica to have it as well' });
    await lost.kill();
    await outage();
    await cluster.promoted(rains.keys.journal(nodes.get(lost)![0]!), lost);
    await lost.restart();
    await cluster.isWhole();
  });

  it('that does not answer fails only its own shards until its replica has taken over', async () => {
    await rains.draw(there!, 'ann');
    await waitFor(async () => cluster.isInStep(lost), { what: 'the replica to have it as well' });
    lost.freeze();
    await outage();
    lost.unfreeze();
    await cluster.isWhole();
  });
});

describe('events in a cluster', () => {
  let heard: string[];
  let subscription: Subscription;

  const listen = () => {
    heard = [];
    subscription = new Subscription(redis, eventKeys.wake, (topics) => heard.push(topics));
  };

  const wake = async (topic: string): Promise<boolean> => {
    const inboxes = new Inboxes(redis);
    await inboxes.open([topic], 60_000);
    await inboxes.append([{ topic, text: '{}' }]);
    return heard.includes(topic);
  };

  afterEach(() => subscription?.end());

  it('wake up their listeners and are read by a blocking connection, even after the master of their slot was killed', async () => {
    const messages = new MessageStream(redis);
    const receiver = redis.duplicate();
    const receive = async (id: string) => {
      const end = await messages.end();
      await messages.publish([{ id, text: '{}' }]);
      return (await messages.readNew(receiver, end, 10, 500)).some((message) => message.id === id);
    };
    const arrives = async (id: string) => {
      await waitFor(() => wake(id).catch(() => false), { what: `a wake-up ${id}` });
      await waitFor(() => receive(id).catch(() => false), { what: `a message ${id}` });
    };
    listen();
    await arrives('before');

    const master = await cluster.masterOf(eventKeys.wake);
    expect(await cluster.masterOf(eventKeys.messages)).toBe(master);
    await master.kill();
    await arrives('after');
    receiver.disconnect();
    await master.restart();
    await cluster.isWhole();
  });

  it('wake up a listener whose first subscription was refused', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    await cluster.callAll('ACL', 'SETUSER', 'hongbao', 'resetchannels');
    listen();
    const isRefused = () => warn.mock.calls.some(([line]) => String(line).includes('Cannot subscribe'));
    await waitFor(isRefused, { what: 'a refusal' });
    await cluster.callAll('ACL', 'SETUSER', 'hongbao', '&rp:*');
    await waitFor(() => wake('third').catch(() => false), { what: 'a wake-up' });
  });

  it('are published only to the nodes of their slot', async () => {
    listen();
    const master = await cluster.masterOf(eventKeys.wake);
    const listening = async (node: ClusterNode) =>
      (await cluster.admin(node).call('PUBSUB', 'SHARDNUMSUB', eventKeys.wake)) as [string, number];
    await waitFor(async () => (await listening(master))[1] === 1, { what: 'a subscriber at the master' });
    const [, everywhere] = (await cluster.admin(master).pubsub('NUMSUB', eventKeys.wake)) as [string, number];
    expect(everywhere).toBe(0);
  });
});
