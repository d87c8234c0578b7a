import { setTimeout as pause } from 'node:timers/promises';
import { call, tokenOf } from './api-call';
import type { Kind, Scene } from './kind';
import type { Service } from './service';

/** How many users without a ticket try the older API. */
const STRANGERS = 8;

/** Long enough for all other processes to continue without it; shorter than a client's time-out. */
const FROZEN_MS = [400, 1_500] as const;

async function freeze(scene: Scene, services: readonly Service[]): Promise<void> {
  const victim = scene.chance.pick(services);
  scene.hit(victim.name);
  victim.signal('SIGSTOP');
  const closing = scene.close();
  await pause(scene.chance.integer(...FROZEN_MS));
  victim.signal('SIGCONT');
  await closing;
}

async function rollingRestart(scene: Scene): Promise<void> {
  for (const service of scene.chance.shuffle(scene.system.services)) {
    await service.retire();
    await service.start();
  }
  scene.hit('all');
}

/** Sets the clocks of these services an hour off, alternately back and forward. */
export async function skewClocks(scene: Scene, services: readonly Service[]): Promise<void> {
  const NODE_OPTIONS = `--require ${require.resolve('./clock-skew')}`;
  let skewMs = scene.chance.pick([-3_600_000, 3_600_000]);
  for (const service of services) {
    await service.end();
    await service.start({ env: { NODE_OPTIONS, CLOCK_SKEW_MS: String(skewMs) } });
    scene.hit(`${service.name} ${skewMs / 60_000} min`);
    skewMs = -skewMs;
  }
}

/** Runs half of the processes on another version, as in the middle of a deployment. */
async function mixVersions({ system }: Scene): Promise<void> {
  const { otherDist: dist } = system;
  await Promise.all(
    [system.apis[1]!, system.workers[1]!].map(async (service) => {
      await service.retire();
      await service.start({ dist });
    }),
  );
}

/** Replaces this version with the other, process by process, and back again. */
async function swapVersions(scene: Scene): Promise<void> {
  const { system } = scene;
  for (const service of scene.chance.shuffle(system.services)) {
    await service.retire();
    await service.start({ dist: service.dist === system.otherDist ? undefined : system.otherDist });
    scene.hit(service.name);
  }
}

/**
 * Replaces an API and a worker with programs that know neither tickets nor limits, as a rollback or an
 * unfinished deployment does. Their API must refuse all users who tap there.
 */
async function goBack(scene: Scene): Promise<void> {
  const { system } = scene;
  const dist = await system.olderPrograms();
  const [api, worker] = [system.apis[1]!, system.workers[1]!];
  for (const service of [worker, api]) {
    await service.retire();
    await service.start({ dist });
  }
  const answers = await Promise.all(
    scene.userIds
      .slice(0, STRANGERS)
      .map((userId) =>
        call(api.url, tokenOf(`older-${userId}`), 'POST', `/v1/activities/${scene.activityId}/grabs`),
      ),
  );
  const statuses = new Set(answers.map(({ status, body }) => (status === 200 ? body.reason : status)));
  scene.hit(`older programs say ${[...statuses].join()}`);
}

async function inviteStranger(scene: Scene): Promise<void> {
  const refusal = await scene.system.inviteStranger();
  if (!/another installation/.test(refusal)) throw new Error(`the stranger says: ${refusal}`);
  scene.hit('refused');
}

export const PROCESSES: readonly Kind[] = [
  {
    name: 'sigstop-across-close:api',
    weight: 1,
    closesEarly: true,
    strike: (scene) => freeze(scene, scene.system.apis),
  },
  {
    name: 'sigstop-across-close:worker',
    weight: 1,
    closesEarly: true,
    strike: (scene) => freeze(scene, scene.system.workers),
  },
  { name: 'rolling-restart', weight: 1, strike: rollingRestart },
  {
    name: 'wrong-clock',
    weight: 1,
    opensLate: true,
    // That host must neither open a rain early nor close one.
    prepare: (scene) => skewClocks(scene, scene.system.apis.slice(0, 1)),
    strike: async () => undefined,
  },
  { name: 'mixed-versions', weight: 2, needsOtherVersion: true, prepare: mixVersions, strike: swapVersions },
  {
    name: 'older-program-beside',
    weight: 2,
    olderBeside: true,
    overParts: false,
    terms: ['tickets', 'limit'],
    closedByHand: true,
    prepare: async ({ system }) => void (await system.olderPrograms()),
    strike: goBack,
  },
  { name: 'two-installations', weight: 1, strike: inviteStranger },
];
