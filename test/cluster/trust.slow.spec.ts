import { Logger } from '@nestjs/common';
import type { RedisClient } from '../../libs/redis-scripts';
import { RedisTrust } from '../../src/core/dispenser';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { WaitlistLeader } from '../../src/extensions/waitlist/waitlist-leader';
import { type Books, openBooks } from '../harness/books';
import type { ClusterNode } from '../harness/cluster-node';
import { Dispensing } from '../harness/dispensing';
import { waitFor } from '../harness/engines';
import type { Graph } from '../harness/graph';
import { RedisCluster } from '../harness/redis-cluster';
import { WholeRain } from '../harness/whole-rain';
import { connectionsOf, SHARDS } from './support';

const trusts = (activityId: string) => trust.trusts(dispensing.keys.shardOf(activityId));

let cluster: RedisCluster;
let redis: RedisClient;
let books: Books;
let closeBooks: () => Promise<void>;
let dispensing: Dispensing;
let rain: WholeRain;
let api: Graph;
let trust: RedisTrust;
let grabs: GrabService;

beforeEach(async () => {
  Logger.overrideLogger(false);
  [cluster, { books, close: closeBooks }] = await Promise.all([RedisCluster.start(), openBooks()]);
  redis = await connectionsOf(cluster.env).serving();
  dispensing = Dispensing.over(redis, SHARDS);
  dispensing.own.identify('this installation');
  rain = await WholeRain.of(books, dispensing);
  api = await rain.openApi();
  trust = api.get(RedisTrust);
  grabs = api.get(GrabService);
  await trust.onModuleInit();
  await trusted();
});

afterEach(async () => {
  await rain.stop();
  redis.disconnect();
  await closeBooks();
  await cluster.stop();
});

/** Waits until every shard has received everything and this process trusts it. */
async function trusted(): Promise<void> {
  const isTrusted = async () => {
    await rain.reminder.step();
    await trust.renewTrust();
    return trust.isTrusted;
  };
  await waitFor(isTrusted, { what: 'shards that are trusted' });
}

const masterOf = (activityId: string): Promise<ClusterNode> =>
  cluster.masterOf(dispensing.keys.activity(activityId).state);

async function openRain({ not, packets = 5 }: { not?: ClusterNode; packets?: number } = {}): Promise<string> {
  for (;;) {
    const activityId = await books.activity({ packets });
    if ((await masterOf(activityId)) === not) continue;
    await rain.loader.load(activityId);
    return activityId;
  }
}

const grab = (activityId: string, userId: string) =>
  waitFor(() => grabs.grab(activityId, userId), { what: `an answer for ${userId}` });

const claimed = async (activityId: string): Promise<Map<string, number>> => {
  const claims = await books.wonPackets.listOfActivity(activityId, 0, 100);
  return new Map(claims.map(({ userId, packetNo }) => [userId, packetNo]));
};

/** Resolves when Redis knows every claim that Postgres has confirmed. */
const acknowledged = () => rain.confirmations.beforeApplicationShutdown();

describe('a promoted replica that has missed the last winners', () => {
  it('is distrusted at once and receives what it has missed; the shards of other masters stay trusted', async () => {
    const there = await openRain();
    const lost = await masterOf(there);
    const elsewhere = await openRain({ not: lost });
    const replica = await cluster.replicaOf(lost);
    await waitFor(() => cluster.isInStep(lost), { what: 'a replica in step' });
    await cluster.cutOff(replica, lost);
    const [ann, bob] = [await grab(there, 'ann'), await grab(elsewhere, 'bob')];
    expect([ann.kind, bob.kind]).toEqual(['won', 'won']);
    await trust.renewTrust();
    expect([trusts(there), trusts(elsewhere)]).toEqual([true, true]);

    await lost.kill();
    expect(await cluster.promoted(dispensing.keys.activity(there).state, lost)).toBe(replica);
    const cem = await grab(there, 'cem');
    expect([trusts(there), trusts(elsewhere)]).toEqual([false, true]);
    expect(noOf(cem)).not.toBe(noOf(ann));
    expect(noOf(await grab(there, 'ann'))).toBe(noOf(ann));

    const reminder = jest.spyOn(rain.reminder['activities'], 'remind');
    await trusted();
    const told = new Set(reminder.mock.calls.map(([{ id }]) => id));
    expect([told.has(there), told.has(elsewhere)]).toEqual([true, false]);
    const claims = [['ann', noOf(ann)] as const, ['cem', noOf(cem)] as const];
    expect(await claimed(there)).toEqual(new Map(claims));
    const held = await dispensing.held(there);
    expect(new Map(Array.from(held, ([user, { no }]) => [user, no]))).toEqual(await claimed(there));
    expect(await dispensing.standings.readStanding(dispensing.keys.placeOf(there))).toMatchObject({
      packetsLeft: 3,
      held: 2,
    });
    await acknowledged();
  });

  it('is distrusted even if it was the master earlier and has not been restarted since', async () => {
    const there = await openRain();
    const { state } = dispensing.keys.activity(there);
    const shard = dispensing.keys.shardOf(there);
    const a = await masterOf(there);
    const b = await cluster.replicaOf(a);
    const { serverId: before } = await dispensing.shardTrust.notesOf(shard);
    await cluster.takeOver(b, state);
    await waitFor(async () => (await cluster.replicaOf(b)) === a && cluster.isInStep(b), {
      what: 'the old master as a replica in step',
    });
    await cluster.cutOff(a, b);
    const ann = await grab(there, 'ann');
    await cluster.takeOver(a, state);

    const notes = await waitFor(() => dispensing.shardTrust.notesOf(shard), { what: 'an answer' });
    const runOf = (serverId: string) => serverId.split('.')[0];
    expect(runOf(notes.serverId)).toBe(runOf(before));
    expect(notes.isTrusted).toBe(false);
    await trust.renewTrust();
    expect(trusts(there)).toBe(false);
    expect(noOf(await grab(there, 'ann'))).toBe(noOf(ann));
    await trusted();
    expect(await claimed(there)).toEqual(new Map([['ann', noOf(ann)]]));
  });
});

describe('a cluster with one master down for good', () => {
  it('continues sweeps, closes, the reminder and waiting lists on the other masters', async () => {
    const there = await openRain();
    const lost = await masterOf(there);
    const [elsewhere, due] = [await openRain({ not: lost }), await openRain({ not: lost })];
    const soldOut = await openRain({ not: lost, packets: 1 });
    await grab(soldOut, 'ann');
    expect(await dispensing.waitingLists.join(soldOut, 'bob')).toMatchObject({ kind: 'waiting' });
    await (await cluster.replicaOf(lost)).kill();
    await lost.kill();
    await expect(dispensing.draw(there, 'ann')).rejects.toThrow();

    await books.dataSource.query(`update activity set closes_at = now() where id = $1`, [due]);
    const [undecided] = await dispensing.draw(elsewhere, 'ann');
    expect(undecided).toMatchObject({ kind: 'won' });
    await dispensing.redis.del(dispensing.keys.activity(due).state);
    await rain.journal.sweep(0);
    await rain.journal.sweep(0);
    expect([...(await claimed(elsewhere)).keys()]).toEqual(['ann']);
    const isClosed = async () => {
      await rain.sweep().catch(() => undefined);
      return (await books.activities.findActivity(due))!.status === 'closed';
    };
    await waitFor(isClosed, { what: 'the end of a rain that is due' });

    await dispensing.redis.hdel(dispensing.keys.trust(dispensing.keys.shardOf(elsewhere)), 'server');
    const isTold = async () => {
      await rain.reminder.step().catch(() => undefined);
      await trust.renewTrust();
      return trusts(elsewhere);
    };
    await waitFor(isTold, { what: 'a shard that is trusted again' });
    expect(trusts(there)).toBe(false);

    await rain.topUp(soldOut, { packets: 1 });
    const leader = rain.worker.get(WaitlistLeader);
    await leader.serveAll(new AbortController().signal).catch(() => undefined);
    expect([...(await claimed(soldOut)).keys()].sort()).toEqual(['ann', 'bob']);
    await expect(rain.end(there)).rejects.toMatchObject({ status: 503 });
  });
});

const noOf = (outcome: object): number => (outcome as { packet: { no: number } }).packet.no;
