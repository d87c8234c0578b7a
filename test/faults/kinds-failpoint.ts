import { setTimeout as pause } from 'node:timers/promises';
import { type Failpoint, FAILPOINTS } from '../../libs/failpoint/failpoint';
import type { Kind, Scene } from './kind';
import type { Service } from './service';

/** Keeps all claims out of the queue, so that the sweeper has something to offer. */
const NO_OFFERS = 'enqueue.before-add=throw@*';

const runsInWorker = (name: Failpoint): boolean =>
  /^(settle|sweep|push|assign|unsent|send|news|claim-log)\./.test(name);

/** Mostly kills; sometimes throws, or waits longer than any time-out. */
function actionOf({ chance }: Scene): string {
  if (chance.isTrue(0.65)) return 'kill';
  return chance.isTrue(0.6) ? 'throw' : 'wait:1500';
}

/** The pass at which the trap springs: the first one at places that are rarely reached. */
function passing(name: Failpoint, { chance }: Scene): number {
  if (name === 'sweep.before-journal') return chance.integer(2, 5);
  return /^(grab|confirm|enqueue|settle|send)\./.test(name) ? chance.integer(1, 3) : 1;
}

/** Either worker may take the job; the operator's requests go to the first API first. */
function victims(name: Failpoint, { system }: Scene): readonly Service[] {
  return runsInWorker(name) ? system.workers : system.apis.slice(0, 1);
}

const isOfParts = (name: Failpoint): boolean => name.endsWith('.between-parts');

async function arm(name: Failpoint, scene: Scene): Promise<void> {
  const trap = `${name}=${actionOf(scene)}@${passing(name, scene)}`;
  const armed = victims(name, scene);
  scene.hit(trap);
  await Promise.all(armed.map((service) => service.setTraps(trap)));
  if (name === 'sweep.before-offer')
    await Promise.all(scene.system.apis.map((api) => api.setTraps(NO_OFFERS)));
}

/** Starts dead processes without traps. A living process keeps its traps for this round. */
async function reviveTheDead({ system }: Scene): Promise<void> {
  await pause(600);
  await system.startServices();
}

/** True if the failpoint was never reached, not even by processes that killed themselves. */
function wasMissed(name: Failpoint, scene: Scene): boolean {
  const output = scene.system.services.map((service) => service.output).join('');
  const hits = output.split(`failpoint ${name} `).length - 1;
  const kills = output.split(`failpoint ${name} kill`).length - 1;
  for (let kill = 0; kill < kills; kill++) scene.killed();
  return hits === 0;
}

/** A process dies, throws or hangs exactly between two steps. */
export const FAILPOINT_KINDS: readonly Kind[] = FAILPOINTS.map((name) => ({
  name: `failpoint:${name}`,
  weight: 1,
  throws: true,
  closedByHand: name.startsWith('close.'),
  sellsOut: /^(assign|top-up)\./.test(name) || name === 'grab.between-parts',
  overParts: isOfParts(name) || undefined,
  paysOut: /^(unsent|send|news)\./.test(name),
  prepare: (scene) => arm(name, scene),
  strike: reviveTheDead,
  missed: (scene) => wasMissed(name, scene),
}));
