import { setTimeout as pause } from 'node:timers/promises';
import type { Kind, Scene } from './kind';

const EDGES = ['postgres', 'redis', 'http'] as const;

async function loseReplies(scene: Scene, edge: (typeof EDGES)[number]): Promise<void> {
  const { chance, system } = scene;
  for (const proxy of system.proxies(edge)) {
    const count = chance.integer(1, 6);
    proxy.loseReplies(count);
    scene.hit(`${count}`);
  }
  await pause(chance.integer(200, 800));
  for (const proxy of system.proxies(edge)) proxy.heal();
}

/** Connections look alive but carry nothing. A process that waits on one must give it up by itself. */
async function halfOpen(scene: Scene, edge: 'postgres' | 'redis'): Promise<void> {
  const { chance, system } = scene;
  const proxies = system.proxies(edge);
  const victims = chance.isTrue(0.5) ? proxies : [chance.pick(proxies)];
  for (const proxy of victims) proxy.halfOpen();
  scene.hit(`${victims.length} of ${proxies.length}`);
}

async function stutter(scene: Scene): Promise<void> {
  const { chance, system } = scene;
  const proxies = [...system.proxies('postgres'), ...system.proxies('redis')];
  for (let beat = 0; beat < 4; beat++) {
    for (const proxy of proxies) proxy.delayMs = chance.integer(0, 60);
    chance.pick(proxies).reset();
    await pause(chance.integer(50, 200));
  }
  for (const proxy of proxies) proxy.heal();
  scene.hit('4 beats');
}

export const NETWORK: readonly Kind[] = [
  ...EDGES.map((edge) => ({
    name: `lost-reply:${edge}`,
    weight: 1,
    strike: (scene: Scene) => loseReplies(scene, edge),
  })),
  { name: 'half-open:postgres', weight: 1, strike: (scene) => halfOpen(scene, 'postgres') },
  { name: 'half-open:redis', weight: 1, strike: (scene) => halfOpen(scene, 'redis') },
  { name: 'stutter', weight: 1, strike: stutter },
];
