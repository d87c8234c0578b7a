import type { Kind, Scene } from './kind';
import { AMNESIA } from './kinds-amnesia';
import { KILLS } from './kinds-kill';

/** Longer than a confirmation takes when nothing fails. */
const UNCONFIRMED_MS = 1_000;

async function answerEarly({ system }: Scene): Promise<void> {
  const restart = system.apis.map(async (api) => {
    await api.end();
    await api.start({ env: { GRAB_ACK: 'redis' } });
  });
  await Promise.all(restart);
}

/** Unconfirmed answers may be lost with the memory of Redis, and only then. */
async function strike(scene: Scene): Promise<void> {
  const blow = scene.chance.pick([...AMNESIA, ...KILLS]);
  const fromMs = Date.now() - UNCONFIRMED_MS;
  scene.hit(`${blow.name}:`);
  await blow.strike(scene);
  if (blow.amnesia) scene.forgive(fromMs, Date.now() + UNCONFIRMED_MS);
}

export const ACKNOWLEDGED_BY_REDIS: readonly Kind[] = [
  { name: 'ack-redis', weight: 4, amnesia: true, prepare: answerEarly, strike },
];
