import type { Kind, Scene } from './kind';
import { whileIll } from './kinds-engines';

/** Makes all existing sessions read-only, as a switch to another primary does, and new sessions writable. */
async function cutOver(scene: Scene): Promise<void> {
  const { postgres } = scene.system;
  const role = 'alter role current_user';
  await postgres.sql(`${role} set default_transaction_read_only = on`);
  try {
    await postgres.sql(
      'select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()',
    );
    scene.hit('read-only sessions');
    await whileIll(scene);
  } finally {
    await postgres.sql(`${role} reset default_transaction_read_only`);
  }
}

async function withRights(scene: Scene, denying: string[], allowing: string[]): Promise<void> {
  await scene.system.redis.use(async (redis) => {
    await redis.acl('SETUSER', 'default', ...denying);
    try {
      for (const proxy of scene.system.proxies('redis')) proxy.reset();
      scene.hit(denying.join(' '));
      await whileIll(scene);
    } finally {
      await redis.acl('SETUSER', 'default', ...allowing);
    }
  });
}

/** Holds back all commands that write, as a switch to a replica does. */
async function pauseWrites(scene: Scene): Promise<void> {
  await scene.system.redis.use(async (redis) => {
    await redis.client('PAUSE', 60_000, 'WRITE');
    scene.hit('writes');
    await whileIll(scene);
    await redis.client('UNPAUSE');
  });
}

/** Engines that run well, but refuse the programs something that they need. */
export const ACCESS: readonly Kind[] = [
  { name: 'cut-over:postgres', weight: 2, strike: cutOver },
  {
    name: 'redis-access:password',
    weight: 1,
    strike: (scene) => withRights(scene, ['resetpass', '>changed'], ['resetpass', 'nopass']),
  },
  { name: 'redis-access:writes', weight: 1, strike: (scene) => withRights(scene, ['-@write'], ['+@all']) },
  { name: 'redis-writes-paused', weight: 1, strike: pauseWrites },
];
