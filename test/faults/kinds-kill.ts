import { setTimeout as pause } from 'node:timers/promises';
import type { Kind, Scene } from './kind';
import type { Service } from './service';

const DOWN_MAX_MS = 600;

const down = ({ chance }: Scene): Promise<void> => pause(chance.integer(0, DOWN_MAX_MS));

export async function kill(scene: Scene, service: Service): Promise<void> {
  scene.hit(service.name);
  scene.killed();
  await service.kill();
}

export async function killRedis(scene: Scene): Promise<void> {
  scene.hit('redis');
  scene.killed();
  await scene.system.redis.kill();
}

export async function killPostgres(scene: Scene): Promise<void> {
  scene.hit('postgres');
  scene.killed();
  await scene.system.postgres.kill();
}

export async function killSome(scene: Scene, services: readonly Service[]): Promise<void> {
  const { chance, system } = scene;
  const victims = chance.isTrue(0.3) ? services : [chance.pick(services)];
  await Promise.all(victims.map((victim) => kill(scene, victim)));
  await down(scene);
  await system.startServices();
}

/** `kill -9`, and then a start on the data that the dead process left. */
export const KILLS: readonly Kind[] = [
  { name: 'kill-api', weight: 5, strike: (scene) => killSome(scene, scene.system.apis) },
  { name: 'kill-worker', weight: 6, strike: (scene) => killSome(scene, scene.system.workers) },
  {
    name: 'kill-redis',
    weight: 17,
    strike: async (scene) => {
      await killRedis(scene);
      await down(scene);
      await scene.system.redis.start();
    },
  },
  {
    name: 'kill-postgres',
    weight: 16,
    strike: async (scene) => {
      await killPostgres(scene);
      await down(scene);
      await scene.system.postgres.start();
    },
  },
  {
    name: 'kill-all',
    weight: 2,
    strike: async (scene) => {
      const { system } = scene;
      const services = system.services.map((service) => kill(scene, service));
      await Promise.all([...services, killRedis(scene), killPostgres(scene)]);
      await down(scene);
      await Promise.all([system.redis.start(), system.postgres.start()]);
      await system.startServices();
    },
  },
];
