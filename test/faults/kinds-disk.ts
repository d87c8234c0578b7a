import { setTimeout as pause } from 'node:timers/promises';
import type { Kind, Scene } from './kind';
import { whileIll } from './kinds-engines';
import { killRedis } from './kinds-kill';

/** Less than a command, so that the last one is often written in part. */
const BYTES_LEFT_MAX = 100;
const ENDS_WITHIN_MS = 5_000;

/** The next write does not fit into the append-only file. */
function fill({ chance, system }: Scene): void {
  system.redis.fillDisk(chance.integer(0, BYTES_LEFT_MAX));
}

/** For the line of the round: `err` where Redis has noticed. */
async function hitStatus(scene: Scene): Promise<void> {
  const info = await scene.system.redis.use((redis) => redis.info('persistence'));
  scene.hit(`append-only file ${/^aof_last_write_status:(\w+)/m.exec(info)?.[1]}`);
}

/** Redis keeps what it could not write, refuses further writes, and goes on when there is room again. */
async function refuse(scene: Scene): Promise<void> {
  fill(scene);
  await whileIll(scene);
  await hitStatus(scene);
  scene.system.redis.makeRoom();
}

/** Redis dies with what it has told and could not write. */
async function refuseAndDie(scene: Scene): Promise<void> {
  fill(scene);
  await whileIll(scene);
  await hitStatus(scene);
  await killRedis(scene);
  await scene.system.redis.start();
}

/** Redis must not answer before it has written, so it ends by itself. Somebody makes room and starts it again. */
async function end(scene: Scene): Promise<void> {
  const { redis } = scene.system;
  await redis.use((client) => client.config('SET', 'appendfsync', 'always'));
  fill(scene);
  const ended = await Promise.race([redis.ended, pause(ENDS_WITHIN_MS, 'Redis goes on: nobody writes')]);
  scene.hit(ended);
  await whileIll(scene);
  await redis.stop();
  await redis.start();
}

const fullKind = (name: string, rest: Pick<Kind, 'weight' | 'amnesia' | 'strike'>): Kind => ({
  ...rest,
  name: `aof-full:${name}`,
  strike: async (scene) => (scene.system.redis.hasDisk ? rest.strike(scene) : undefined),
  mend: async ({ system }) => (system.redis.hasDisk ? system.redis.makeRoom() : undefined),
  missed: ({ system }) => !system.redis.hasDisk,
});

/** The disk of Redis' append-only file. */
export const DISKS: readonly Kind[] = [
  fullKind('refuses', { weight: 2, strike: refuse }),
  fullKind('ends', { weight: 1, strike: end }),
  fullKind('killed', { weight: 2, amnesia: true, strike: refuseAndDie }),
];
