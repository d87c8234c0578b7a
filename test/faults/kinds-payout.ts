import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../harness/engines';
import { EngineReader } from './engine-reader';
import type { Kind, Scene } from './kind';
import { flushAll } from './kinds-amnesia';
import { giveClock, whileIll } from './kinds-engines';
import { killPostgres, killSome } from './kinds-kill';
import { skewClocks } from './kinds-process';
import { type Lie, LIES } from './receiver-files';

const AWAY_MS = [200, 4_000] as const;

/** Above the lease of a call, which is its time-out and five seconds. */
const STOPPED_MS = [7_000, 13_000] as const;

const DAY_MS = 86_400_000;

/** Longer than any wait of a payout, past one midnight and past several, and back. */
const STEPS_MS = [2 * 3_600_000, DAY_MS, 3 * DAY_MS, -2 * DAY_MS];

/** Some payments meet one of these lies when they are requested for the first time. */
const lieIn = (lies: readonly Lie[]) => async (scene: Scene) => {
  const { chance, system } = scene;
  const share = chance.integer(5, 60) / 100;
  const receiver = await system.receiver();
  receiver.files.habits = { words: `${chance.fraction()}`, lies, share };
  scene.hit(`${Math.round(share * 100)} % lies`);
};

/** The sender may die as well, while the receiver misbehaves. */
async function mayKillSenders(scene: Scene): Promise<void> {
  if (scene.chance.isTrue(0.5)) await killSome(scene, scene.system.workers);
}

/**
 * A worker is frozen with payouts that it was about to send, and continues after another has taken them over.
 */
async function stopSender(scene: Scene): Promise<void> {
  const { chance, system } = scene;
  const victim = chance.pick(system.workers);
  scene.hit(victim.name);
  victim.signal('SIGSTOP');
  await pause(chance.integer(...STOPPED_MS));
  victim.signal('SIGCONT');
}

async function goAway(scene: Scene): Promise<void> {
  const { chance, system } = scene;
  const proxy = (await system.receiver()).fromSenders;
  const mode = chance.pick(['refuse', 'silent', 'half-open', 'loses replies'] as const);
  scene.hit(mode);
  if (mode === 'half-open') proxy.halfOpen();
  else if (mode === 'loses replies') proxy.loseReplies(chance.integer(5, 40));
  else proxy.mode = mode;
  if (mode === 'refuse' || mode === 'silent') proxy.reset();
  await mayKillSenders(scene);
  await pause(chance.integer(...AWAY_MS));
  proxy.heal();
}

/**
 * No worker dies in the meantime: if a payment was sent under a wrong clock and its answer is lost, its key is of
 * unknown age, so people would have to end it.
 */
async function stepPostgres(scene: Scene): Promise<void> {
  const { chance, system } = scene;
  const aheadMs = chance.pick(STEPS_MS);
  system.postgres.stepClock(aheadMs);
  scene.hit(`${aheadMs / 3_600_000} h`);
  await whileIll(scene);
  system.postgres.stepClock(0);
}

async function killReceiver(scene: Scene): Promise<void> {
  const { chance, system } = scene;
  const receiver = await system.receiver();
  for (let times = chance.integer(1, 3); times > 0; times--) {
    await receiver.kill();
    scene.killed();
    await pause(chance.integer(0, 600));
    await receiver.revive();
    await pause(chance.integer(0, 400));
  }
  scene.hit('receiver');
  await mayKillSenders(scene);
}

async function sendReceiverAway({ system }: Scene): Promise<void> {
  (await system.receiver()).fromSenders.mode = 'refuse';
}

/** Waits until all wins are reserved for payouts. */
async function waitForReserved({ system }: Scene): Promise<void> {
  const unsent = 'select from payout_credit where payout_id is null and released_at is null limit 1';
  const reader = await EngineReader.open(system);
  const isCalm = async () =>
    (await reader.unrest()) === undefined && (await system.postgres.sql(unsent)).length === 0;
  await waitFor(isCalm, { what: 'all payouts to be reserved' }).finally(() => reader.close());
}

/** Once per round, Postgres is restored from a copy in which all payouts are reserved, after the receiver has paid some. */
async function restoreReserved(scene: Scene): Promise<void> {
  if ((await scene.system.receiver()).fromSenders.mode === 'open') return;
  await waitForReserved(scene);
  const fromMs = Date.now();
  await scene.system.postgres.keepCopy();
  await restorePostgres(scene, fromMs);
}

/** The users of a round whose payouts get no clear answer. */
const troubled = new WeakMap<Scene, readonly string[]>();

const USERS_IN_TROUBLE_MAX = 5;

/** Longer than taking over from killed workers takes. */
const OTHERS_WITHIN_MS = 60_000;

async function troubleUsers(scene: Scene): Promise<void> {
  const { chance, system, userIds } = scene;
  const unclearTo = chance.shuffle(userIds).slice(0, chance.integer(1, USERS_IN_TROUBLE_MAX));
  troubled.set(scene, unclearTo);
  (await system.receiver()).files.habits = { words: '', lies: [], share: 0, unclearTo };
}

const openOf = async ({ system, userIds }: Scene, isOf: (userId: string) => boolean): Promise<string[]> => {
  const rows = await system.postgres.sql<{ userId: string }>(
    `select user_id as "userId" from payout where user_id = any($1) and ended_at is null
     union all
     select user_id from payout_credit join claim on claim.id = claim_id
      where user_id = any($1) and payout_id is null and released_at is null`,
    [userIds.filter(isOf)],
  );
  return rows.map(({ userId }) => userId);
};

/** Waits until all other users are paid, while those in trouble are not. */
async function waitForOthers(scene: Scene): Promise<void> {
  const unclearTo = troubled.get(scene)!;
  await waitFor(async () => (await openOf(scene, (userId) => !unclearTo.includes(userId))).length === 0, {
    what: `the payouts of all but ${unclearTo.length} users`,
    timeoutMs: OTHERS_WITHIN_MS,
  });
  const left = await openOf(scene, (userId) => unclearTo.includes(userId));
  scene.hit(`${new Set(left).size} users unknown`);
  if (left.length > 0) unknownIn.add(scene);
}

/** Rounds in which a user in trouble has won. */
const unknownIn = new WeakSet<Scene>();

/** When the copy of a round was made. */
const copiedAtMs = new WeakMap<Scene, number>();

/** Once per round, in the middle of the load, Postgres is copied. */
async function copyPostgres(scene: Scene): Promise<void> {
  if (copiedAtMs.has(scene)) return;
  copiedAtMs.set(scene, Date.now());
  await scene.system.postgres.keepCopy();
}

/** Postgres is restored to before the wins, after the receiver has paid some of them. */
async function restoreBeforeWins(scene: Scene): Promise<void> {
  if ((await scene.system.receiver()).fromSenders.mode === 'open') return;
  await waitForReserved(scene);
  await restorePostgres(scene, copiedAtMs.get(scene)!);
}

/** Lets the receiver pay some payouts before Postgres is restored from its copy. */
async function restorePostgres(scene: Scene, fromMs: number): Promise<void> {
  const { chance, system } = scene;
  const { postgres } = system;
  const receiver = await system.receiver();
  const before = receiver.files.entries().length;
  const paid = chance.integer(1, 30);
  receiver.fromSenders.heal();
  const hasPaid = () => Promise.resolve(receiver.files.entries().length >= before + paid);
  await waitFor(hasPaid, { what: `${paid} payouts to be paid` });
  await killPostgres(scene);
  postgres.bringBackCopy();
  await postgres.start();
  scene.forgive(fromMs, Date.now());
  scene.hit(`after ${receiver.files.entries().length - before} payments`);
}

/** The receiver of payouts misbehaves, or we do while payouts are on their way. */
export const PAYOUTS: readonly Kind[] = [
  { name: 'payout:lies', weight: 4, paysOut: true, prepare: lieIn(LIES), strike: mayKillSenders },
  {
    name: 'payout:slow',
    weight: 3,
    paysOut: true,
    prepare: lieIn(['late-answer', 'late-effect']),
    strike: mayKillSenders,
  },
  { name: 'payout:away', weight: 3, paysOut: true, strike: goAway },
  {
    name: 'payout:sender-stopped',
    weight: 2,
    long: true,
    paysOut: true,
    prepare: lieIn(LIES),
    strike: stopSender,
  },
  {
    name: 'payout:users-unknown',
    weight: 2,
    paysOut: true,
    prepare: troubleUsers,
    strike: mayKillSenders,
    mend: waitForOthers,
    missed: (scene) => !unknownIn.has(scene),
  },
  {
    name: 'payout:wrong-clock',
    weight: 1,
    paysOut: true,
    prepare: async (scene) => {
      await lieIn(LIES)(scene);
      await skewClocks(scene, scene.system.workers);
    },
    strike: mayKillSenders,
  },
  {
    name: 'payout:clock-step',
    weight: 2,
    paysOut: true,
    stepsClock: true,
    prepare: async (scene) => {
      await giveClock(scene, 'postgres');
      if (scene.chance.isTrue(0.5)) await lieIn(LIES)(scene);
    },
    strike: stepPostgres,
    missed: ({ system }) => !system.postgres.hasClock,
  },
  { name: 'payout:receiver-killed', weight: 2, paysOut: true, strike: killReceiver },
  { name: 'payout:flushall', weight: 1, paysOut: true, amnesia: true, strike: flushAll },
  {
    name: 'payout:restored',
    weight: 2,
    paysOut: true,
    amnesia: true,
    losesCommits: true,
    prepare: sendReceiverAway,
    strike: mayKillSenders,
    mend: restoreReserved,
  },
  {
    name: 'payout:lost-wins',
    weight: 2,
    long: true,
    paysOut: true,
    amnesia: true,
    losesCommits: true,
    terms: [],
    prepare: sendReceiverAway,
    strike: copyPostgres,
    mend: restoreBeforeWins,
  },
];
