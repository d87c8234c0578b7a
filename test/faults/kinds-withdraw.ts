import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../harness/engines';
import { EngineReader } from './engine-reader';
import type { Kind, Scene } from './kind';
import { killPostgres, killSome } from './kinds-kill';
import { Operator } from './operator';
import type { System } from './system';

/** Wins are gathered for so long that none leaves automatically before the crowd has withdrawn. */
const GATHERED_SECONDS = 3_600;

interface Wallet {
  readonly userId: string;
  readonly amount: string;
}

const withdrawn = new WeakMap<Scene, number>();

/** The channel of the round. */
async function channelOf({ postgres }: System): Promise<string> {
  const [row] = await postgres.sql<{ id: string }>(`select max(id)::text as id from payout_channel`);
  return row!.id;
}

async function gatherFor({ system }: Scene, seconds: number): Promise<void> {
  await system.postgres.sql(
    `update payout_channel set profile = profile || jsonb_build_object('gatherSeconds', ${seconds}) where id = $1`,
    [await channelOf(system)],
  );
}

/** Half of what each user holds once all wins are credited, so that a second payout would go through. */
async function walletsOf({ system, userIds }: Scene): Promise<Wallet[]> {
  const reader = await EngineReader.open(system);
  const isCalm = async () => (await reader.unrest()) === undefined;
  await waitFor(isCalm, { what: 'all wins to be credited' }).finally(() => reader.close());
  return system.postgres.sql<Wallet>(
    `select owner_id as "userId", (greatest(1, balance_minor / 2) / 100.0)::numeric(20, 2)::text as amount
       from account where kind = 'wallet' and balance_minor > 0 and owner_id = any($1)`,
    [userIds],
  );
}

/** Everyone presses "withdraw" at the same moment, and repeats it until there is an answer, while something dies. */
async function withdrawAll(scene: Scene): Promise<void> {
  if (withdrawn.has(scene)) return;
  const { chance, system } = scene;
  const wallets = await walletsOf(scene);
  withdrawn.set(scene, wallets.length);
  const channelId = await channelOf(system);
  const anybody = new Operator(system.apiUrls);
  const asks = wallets.map(async ({ userId, amount }) => {
    await pause(chance.integer(0, 60));
    const { id } = await anybody.as(userId).post('/v1/me/payouts', { amount, channelId });
    return { userId, id: id as string };
  });
  const [told] = await Promise.all([Promise.all(asks), killSomething(scene)]);
  scene.hit(`${told.length} withdraw`);
  await requireOneEach(scene, channelId, told);
  await gatherFor(scene, 0);
}

async function killSomething(scene: Scene): Promise<void> {
  const { chance, system } = scene;
  await pause(chance.integer(0, 200));
  switch (chance.pick(['api', 'api', 'worker', 'postgres'] as const)) {
    case 'api':
      return killSome(scene, system.apis);
    case 'worker':
      return killSome(scene, system.workers);
    case 'postgres':
      await killPostgres(scene);
      await pause(chance.integer(0, 300));
      return system.postgres.start();
  }
}

/** Each user asked under one key, and must hear of the only resulting payout. */
async function requireOneEach(
  { system }: Scene,
  channelId: string,
  told: readonly { readonly userId: string; readonly id: string }[],
): Promise<void> {
  const asked = await system.postgres.sql<{ userId: string; ids: string[] }>(
    `select user_id as "userId", array_agg(id::text) as ids
       from payout where channel_id = $1 and claims is null group by 1`,
    [channelId],
  );
  const idsOf = new Map(asked.map(({ userId, ids }) => [userId, ids.join()]));
  const wrong = told.filter(({ userId, id }) => idsOf.get(userId) !== id);
  if (wrong.length > 0 || asked.length !== told.length)
    throw new Error(`${wrong.length} of ${told.length} users who asked once have not exactly that payout.`);
}

/** The rain ends, and all users withdraw what they have won. */
export const WITHDRAWALS: readonly Kind[] = [
  {
    name: 'withdraw',
    weight: 3,
    paysOut: true,
    prepare: (scene) => gatherFor(scene, GATHERED_SECONDS),
    strike: killSomething,
    mend: withdrawAll,
    missed: (scene) => (withdrawn.get(scene) ?? 0) === 0,
  },
];
