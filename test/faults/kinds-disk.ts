import { setTimeout as pause } from 'node:timers/promises';
import type { Kind, Scene } from './kind';
import { whileIll } from './kinds-engines';
import { killRedis } from './kinds-kill';

/** Less than a command, so that the last command is often written only in part. */
const BYTES_LEFT_MAX = 100;
const ENDS_WITHIN_MS = 5_000;
const PAGE_BYTES = 4_096;
const PAGES_LEFT_MAX = 12;

function fill({ chance, system }: Scene): void {
  system.redis.fillDisk(chance.integer(0, BYTES_LEFT_MAX));
}

/** Records the status for the line of the round: `err` if Redis has noticed. */
async function hitStatus(scene: Scene): Promise<void> {
  const info = await scene.system.redis.use((redis) => redis.info('persistence'));
  scene.hit(`append-only file ${/^aof_last_write_status:(\w+)/m.exec(info)?.[1]}`);
}

/**
 * Redis keeps what it could not write, refuses writes, and continues once there is room. An operator then
 * follows docs/operations.md; otherwise Redis could not read its file at its next start.
 */
async function refuse(scene: Scene): Promise<void> {
  fill(scene);
  await whileIll(scene);
  await hitStatus(scene);
  const { redis } = scene.system;
  redis.makeRoom();
  await redis.rewriteLog();
}

async function refuseAndDie(scene: Scene): Promise<void> {
  fill(scene);
  await whileIll(scene);
  await hitStatus(scene);
  await killRedis(scene);
  await scene.system.redis.start();
}

/** Redis must not answer before it has written, so it ends. An operator makes room. */
async function end(scene: Scene): Promise<void> {
  const { redis } = scene.system;
  await redis.use((client) => client.config('SET', 'appendfsync', 'always'));
  fill(scene);
  const ended = await Promise.race([
    redis.ended,
    pause(ENDS_WITHIN_MS, 'Redis keeps running: nobody writes'),
  ]);
  scene.hit(ended);
  await whileIll(scene);
  await redis.stop();
  await redis.start();
}

const fullKind = (name: string, rest: Pick<Kind, 'weight' | 'amnesia' | 'strike' | 'long'>): Kind => ({
  ...rest,
  name: `aof-full:${name}`,
  strike: async (scene) => (scene.system.redis.hasDisk ? rest.strike(scene) : undefined),
  mend: async ({ system }) => (system.redis.hasDisk ? system.redis.makeRoom() : undefined),
  missed: ({ system }) => !system.redis.hasDisk,
});

/** Leaves no room for the next page of a table; reserved space can still be written. */
async function fillPostgres(scene: Scene): Promise<void> {
  const { chance, system } = scene;
  const { postgres } = system;
  postgres.disk?.fill(chance.integer(0, PAGES_LEFT_MAX) * PAGE_BYTES);
  if (chance.isTrue(0.5)) await forceNewLogFile(scene);
  await whileIll(scene);
  scene.hit(postgres.running ? 'postgres keeps running' : 'postgres has ended');
  postgres.disk?.makeRoom();
  await postgres.comeBack();
}

/** Makes Postgres create a log file. Without room for it, Postgres panics. */
async function forceNewLogFile({ system }: Scene): Promise<void> {
  await system.postgres.sql('select pg_switch_wal()').catch(() => undefined);
}

export const DISKS: readonly Kind[] = [
  fullKind('refuses', { weight: 2, strike: refuse }),
  fullKind('ends', { weight: 1, strike: end }),
  fullKind('killed', { weight: 2, long: true, amnesia: true, strike: refuseAndDie }),
  {
    name: 'postgres-disk-full',
    weight: 3,
    prepare: ({ system }) => system.postgres.moveToSmallDisk(),
    strike: fillPostgres,
    missed: ({ system }) => system.postgres.disk === undefined,
  },
];
