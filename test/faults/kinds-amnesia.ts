import { setTimeout as pause } from 'node:timers/promises';
import type { Kind, Scene } from './kind';
import { kill, killRedis } from './kinds-kill';

/**
 * Who dies together with Redis: nobody; an API, which then cannot tell what it knew; or all workers, so that for some
 * seconds nobody reminds Redis of what it has forgotten.
 */
async function killCompany(scene: Scene): Promise<void> {
  const { apis, workers } = scene.system;
  const company = scene.chance.pick([[], [], [scene.chance.pick(apis)], workers]);
  await Promise.all([killRedis(scene), ...company.map((service) => kill(scene, service))]);
}

/**
 * A power loss: Redis dies and its append-only file ends earlier than it was told to. Half of the time Postgres is out of
 * reach just before, so that reservations are lost that nobody had confirmed.
 */
async function loseTail(scene: Scene): Promise<void> {
  const { chance, system } = scene;
  const { redis } = system;
  const atLeast = redis.logSize;
  const dark = chance.isTrue(0.5);
  if (dark) for (const proxy of system.proxies('postgres')) cutPostgres(proxy);
  await pause(chance.integer(100, 500));
  await killCompany(scene);
  const size = cutAt(scene, atLeast, redis.logSize);
  scene.hit(`tail -${redis.logSize - size} bytes`);
  redis.truncateLog(size);
  await redis.start();
  for (const proxy of system.proxies('postgres')) proxy.heal();
  await system.startServices();
}

function cutPostgres(proxy: { mode: string; reset(): void }): void {
  proxy.mode = 'refuse';
  proxy.reset();
}

/** Somewhere in what was written since the blow began, or a bit before; by bytes, or where a second begins. */
function cutAt({ chance, system }: Scene, atLeast: number, end: number): number {
  const from = chance.isTrue(0.5) ? atLeast : Math.floor(atLeast * 0.97);
  const seconds = system.redis.secondsSince(from);
  if (seconds.length > 0 && chance.isTrue(0.4)) return chance.pick(seconds);
  return chance.integer(from, end);
}

/** The master dies, and what takes its place has heard nothing for a while. */
async function promoteStale(scene: Scene): Promise<void> {
  const { chance, system } = scene;
  const replica = await system.redis.attachReplica();
  await replica.cutOff();
  await pause(chance.integer(50, 500));
  await killCompany(scene);
  system.redis.promote(replica);
  for (const proxy of system.proxies('redis')) proxy.reset();
  await system.startServices();
}

async function flushAll(scene: Scene): Promise<void> {
  scene.hit('flushall');
  await scene.system.redis.use((redis) => redis.flushall());
}

/** Redis comes back, and does not know what it has told. */
export const AMNESIA: readonly Kind[] = [
  { name: 'redis-tail-loss', weight: 7, amnesia: true, strike: loseTail },
  { name: 'stale-replica', weight: 4, amnesia: true, strike: promoteStale },
  { name: 'flushall', weight: 3, amnesia: true, strike: flushAll },
];
