import { setTimeout as pause } from 'node:timers/promises';
import type { Kind, Scene } from './kind';
import { flushAll } from './kinds-amnesia';
import { killPostgres } from './kinds-kill';

/**
 * The primary dies, and a synchronous standby takes its place. Shortly before, the network between
 * the two fails: from then on, no commit may be answered.
 */
async function promoteStandby(scene: Scene, alongside?: (scene: Scene) => Promise<void>): Promise<void> {
  const { chance, system } = scene;
  const standby = await system.postgres.attachStandby();
  await pause(chance.integer(100, 500));
  standby.link.mode = 'refuse';
  standby.link.halfOpen();
  await pause(chance.integer(0, 300));
  await killPostgres(scene);
  await alongside?.(scene);
  await system.postgres.promote(standby);
  await system.startServices();
}

/** One of the two kinds loses Redis as well, so that only the standby's data counts. */
export const STANDBY: readonly Kind[] = [
  { name: 'standby-promoted', weight: 3, long: true, strike: (scene) => promoteStandby(scene) },
  {
    name: 'standby-promoted:flushall',
    weight: 3,
    amnesia: true,
    strike: (scene) => promoteStandby(scene, flushAll),
  },
];
