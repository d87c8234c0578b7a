import { Logger } from '@nestjs/common';
import { keySlot, type RedisClient } from '../../libs/redis-scripts';
import { Dispensing, numbersOf, packetsUpTo } from '../harness/dispensing';
import { waitFor } from '../harness/engines';
import { RedisCluster } from '../harness/redis-cluster';
import { connectionsOf, SHARDS } from './support';

const PACKETS = 40;

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

it('a slot that is moved while users grab from it loses no packet and no winner, and its only refusals are errors', async () => {
  const activityId = await rains.rain(packetsUpTo(PACKETS));
  const key = rains.keys.journal(0);
  const from = await cluster.masterOf(key);
  const to = await cluster.masterOf(rains.keys.journal(1));
  expect(to).not.toBe(from);

  const won = new Map<string, number>();
  let user = 0;
  const grab = async () => {
    const userId = `u${user++ % PACKETS}`;
    const [outcome] = await rains.draw(activityId, userId).catch(() => []);
    if (outcome === undefined) return;
    expect(['won', 'already', 'not-loaded']).toContain(outcome.kind);
    if (!('packet' in outcome)) return;
    expect(won.get(userId) ?? outcome.packet.no).toBe(outcome.packet.no);
    won.set(userId, outcome.packet.no);
  };
  await grab();
  await cluster.moveSlot(keySlot(key), from, to, async () => {
    for (let i = 0; i < 5; i++) await grab();
  });
  await waitFor(
    async () => {
      await grab();
      return won.size === PACKETS;
    },
    { what: 'a packet for everybody' },
  );

  expect(await cluster.masterOf(key)).toBe(to);
  expect(new Set(won.values()).size).toBe(PACKETS);
  expect(await rains.listed(activityId)).toEqual([]);
  const held = await rains.held(activityId);
  expect(new Map(Array.from(held, ([userId, { no }]) => [userId, no]))).toEqual(won);
  const journaled = (await rains.journals.read(0, '-', '+', 1_000)).flatMap(
    ({ reservations }) => reservations,
  );
  expect(numbersOf(journaled.map(({ packet }) => packet)).sort()).toEqual([...won.values()].sort());
});
