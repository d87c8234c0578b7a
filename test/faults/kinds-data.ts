import { Queue } from 'bullmq';
import { escapeLiteral } from 'pg';
import type { Kind, Scene } from './kind';
import { killSome } from './kinds-kill';

/** Makes it impossible to pay some users; no other user may notice. */
const poison = (count: number) => async (scene: Scene) => {
  const { chance, system, userIds } = scene;
  const victims = chance.shuffle(userIds).slice(0, count);
  await system.postgres.sql(
    `create function refuse_poison() returns trigger language plpgsql as
       $$ begin if new.owner_id in (${victims.map(escapeLiteral).join()}) then raise 'poison'; end if; return new; end $$`,
  );
  await system.postgres.sql(
    `create trigger refuse_poison before insert on account for each row execute function refuse_poison()`,
  );
  scene.poisoned.push(...victims);
  scene.hit(victims.join(' '));
};

async function obliterate(scene: Scene): Promise<void> {
  const { hostname: host, port } = new URL(scene.system.redis.url);
  const queue = new Queue('settlement', { prefix: '{bull}', connection: { host, port: Number(port) } });
  queue.on('error', () => undefined);
  await queue.obliterate({ force: true });
  await queue.close();
  scene.hit('settlement');
}

/** Makes commits slow, as on a nearly full disk. */
async function slowCommits(scene: Scene): Promise<void> {
  const { system } = scene;
  await system.postgres.sql(
    `create function dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(0.25); return null; end $$`,
  );
  await system.postgres.sql(
    `create trigger dawdle after insert on claim for each statement execute function dawdle()`,
  );
  scene.hit('0.25 s a commit');
}

/** Redis forgets what is being confirmed: only the lock in Postgres separates confirm and close. */
async function closeForgotten(scene: Scene): Promise<void> {
  await scene.system.redis.use((redis) => redis.flushall());
  scene.hit('flushall');
  await scene.close();
}

const remove = (name: string, table: string) => async (scene: Scene) => {
  await scene.system.postgres.sql(
    `drop trigger if exists ${name} on ${table}; drop function if exists ${name}`,
  );
};

const closingWhileConfirming = (name: string, rest: Pick<Kind, 'amnesia' | 'strike'>): Kind => ({
  name,
  weight: 1,
  closesEarly: true,
  prepare: slowCommits,
  mend: remove('dawdle', 'claim'),
  ...rest,
});

export const DATA: readonly Kind[] = [
  {
    name: 'poison',
    weight: 1,
    prepare: poison(1),
    strike: (scene) => killSome(scene, scene.system.workers),
    cure: remove('refuse_poison', 'account'),
  },
  {
    name: 'void-claims',
    weight: 2,
    sellsOut: true,
    voids: true,
    prepare: poison(5),
    strike: (scene) => killSome(scene, scene.system.services),
    cure: remove('refuse_poison', 'account'),
  },
  { name: 'queue-obliterated', weight: 1, strike: obliterate },
  closingWhileConfirming('slow-commits-across-close', { strike: (scene) => scene.close() }),
  closingWhileConfirming('slow-commits-across-close:flushall', { amnesia: true, strike: closeForgotten }),
  {
    name: 'script-flush',
    weight: 1,
    strike: async (scene) => {
      await scene.system.redis.use((redis) => redis.script('FLUSH'));
      scene.hit('scripts');
    },
  },
];
