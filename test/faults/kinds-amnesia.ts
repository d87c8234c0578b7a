import { setTimeout as pause } from 'node:timers/promises';
import type { Kind, Scene } from './kind';
import { kill, killRedis } from './kinds-kill';

/**
 * Kills processes along with Redis: none; one API, which then cannot repeat what it knew; or all
 * workers, so that no process reminds Redis of what it has forgotten.
 */
export async function killCompany(scene: Scene, blow = killRedis): Promise<void> {
  const { apis, workers } = scene.system;
  const company = scene.chance.pick([[], [], [scene.chance.pick(apis)], workers]);
  await Promise.all([blow(scene), ...company.map((service) => kill(scene, service))]);
}

type Restart = (scene: Scene) => Promise<void>;

/**
 * Redis dies, and its append-only file differs from what was written. Half the time Postgres becomes
 * unreachable just before, so that unconfirmed reservations are lost.
 * @param ruin receives the length of the file at the beginning of the blow
 */
const loseLog = (ruin: (scene: Scene, atLeast: number) => void, restart: Restart) => async (scene: Scene) => {
  const { chance, system } = scene;
  const { redis } = system;
  const atLeast = redis.log.size;
  const dark = chance.isTrue(0.5);
  if (dark) for (const proxy of system.proxies('postgres')) cutPostgres(proxy);
  await pause(chance.integer(100, 500));
  await killCompany(scene);
  ruin(scene, atLeast);
  await restart(scene);
  for (const proxy of system.proxies('postgres')) proxy.heal();
  await system.startServices();
};

/** Cuts off data that Redis believes to be written, as a power loss does. */
function cutTail(scene: Scene, atLeast: number): void {
  const { log } = scene.system.redis;
  const end = log.size;
  const size = cutAt(scene, atLeast, end);
  scene.hit(`tail -${end - size} bytes`);
  log.truncate(size);
}

const restart: Restart = ({ system }) => system.redis.start();

/** Repairs the file, as an operator does after reading why Redis does not start. */
async function restartRepaired(scene: Scene): Promise<void> {
  const { redis } = scene.system;
  await redis.start().then(
    () => scene.hit('and started'),
    async () => {
      scene.hit('and refused');
      await redis.repairLog();
      await redis.start();
    },
  );
}

/** Longer than the longest argument of a command, so that the block cannot pass for one. */
const BLOCK_BYTES = 4096;

/** Overwrites a block. Redis does not start until the file is cut off before it. */
function ruinBlock(scene: Scene, atLeast: number): void {
  const { log } = scene.system.redis;
  const at = ruinAt(scene, atLeast, log.size);
  const noise = scene.chance.isTrue(0.5);
  scene.hit(`${noise ? 'noise' : 'zeros'} at -${log.size - at} bytes`);
  log.overwrite(
    at,
    Uint8Array.from({ length: BLOCK_BYTES }, () => (noise ? scene.chance.integer(0, 255) : 0)),
  );
}

/** Makes an argument seem longer than the file, so that Redis takes this place for the end. */
function ruinLength(scene: Scene, atLeast: number): void {
  const { log } = scene.system.redis;
  const lengths = log.lengthsSince(ruinAt(scene, atLeast, log.size));
  const at = lengths[0] ?? log.lengthsSince(0).at(-1)!;
  scene.hit(`length at -${log.size - at} bytes`);
  log.overwrite(at, Buffer.from(`$${log.size}\r\n`));
}

/** A position anywhere in the file, or only in its recent part. */
function ruinAt({ chance }: Scene, atLeast: number, end: number): number {
  return chance.integer(chance.isTrue(0.3) ? 0 : Math.floor(atLeast * 0.97), end);
}

function cutPostgres(proxy: { mode: string; reset(): void }): void {
  proxy.mode = 'refuse';
  proxy.reset();
}

/** A position from the beginning of the blow on, or from shortly before it: any byte, or the start of a second. */
function cutAt({ chance, system }: Scene, atLeast: number, end: number): number {
  const from = chance.isTrue(0.5) ? atLeast : Math.floor(atLeast * 0.97);
  const seconds = system.redis.log.secondsSince(from);
  if (seconds.length > 0 && chance.isTrue(0.4)) return chance.pick(seconds);
  return chance.integer(from, end);
}

/** The master dies, and is replaced by a replica that has received nothing for a while. */
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

export async function flushAll(scene: Scene): Promise<void> {
  scene.hit('flushall');
  await scene.system.redis.use((redis) => redis.flushall());
}

export const AMNESIA: readonly Kind[] = [
  { name: 'redis-tail-loss', weight: 7, amnesia: true, strike: loseLog(cutTail, restart) },
  { name: 'aof-corrupt:block', weight: 2, amnesia: true, strike: loseLog(ruinBlock, restartRepaired) },
  { name: 'aof-corrupt:length', weight: 2, amnesia: true, strike: loseLog(ruinLength, restart) },
  { name: 'stale-replica', weight: 4, amnesia: true, strike: promoteStale },
  { name: 'flushall', weight: 3, amnesia: true, strike: flushAll },
];
