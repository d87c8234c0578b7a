import { setTimeout as pause } from 'node:timers/promises';
import { SteppedClock } from '../../src/dev/engines';
import { RedisKeys } from '../../libs/redis-scripts';
import type { Kind, Scene } from './kind';
import { killPostgres, killRedis, killSome } from './kinds-kill';
import { SHARDS } from './service';

/** The range begins below any time-out and ends above the time-outs of all clients of an engine. */
const ILL_MS = [300, 3_000] as const;

export const whileIll = ({ chance }: Scene): Promise<void> => pause(chance.integer(...ILL_MS));

/** Longer than our programs wait for an engine, and longer than Postgres waits for them. */
const ILL_LONG_MS = [9_500, 12_000] as const;

/** Freezes an engine with all its connections open, and later resumes it. */
async function freeze(
  scene: Scene,
  which: 'postgres' | 'redis',
  [atLeastMs, atMostMs]: readonly [number, number] = ILL_MS,
): Promise<void> {
  const engine = scene.system[which];
  engine.freeze();
  scene.hit(which);
  await pause(scene.chance.integer(atLeastMs, atMostMs));
  engine.unfreeze();
}

/** An operator sets a memory limit below the current usage, and notices some time later. */
async function fillRedis(scene: Scene): Promise<void> {
  const { redis } = scene.system;
  await redis.use((client) => client.config('SET', 'maxmemory', '1mb'));
  scene.hit('maxmemory 1mb');
  await whileIll(scene);
  await roomAgain(scene);
}

async function roomAgain({ system }: Scene): Promise<void> {
  await system.redis.use((client) => client.config('SET', 'maxmemory', '0'));
}

/** Postgres refuses writes, like a server that was demoted or that protects the rest of its disk. */
async function refuseWrites(scene: Scene): Promise<void> {
  await setReadOnly(scene, 'on');
  scene.hit('read-only');
  await whileIll(scene);
  await setReadOnly(scene, 'off');
}

async function setReadOnly({ system }: Scene, value: 'on' | 'off'): Promise<void> {
  await system.postgres.sql(`alter system set default_transaction_read_only = ${value}`);
  await system.postgres.sql('select pg_reload_conf()');
}

async function loseCommits(scene: Scene): Promise<void> {
  const { postgres } = scene.system;
  const fromMs = Date.now();
  await postgres.keepCopy();
  await pause(scene.chance.integer(200, 900));
  await killPostgres(scene);
  postgres.bringBackCopy();
  await postgres.start();
  await scene.system.startServices();
  scene.forgive(fromMs, Date.now());
}

async function lockForeignRow(scene: Scene): Promise<void> {
  const { chance, system, activityId } = scene;
  const seconds = chance.integer(...ILL_MS) / 1000;
  const wallet = chance.isTrue(0.5);
  const row = wallet
    ? `select from account where kind = 'wallet' order by id desc limit 1 for update`
    : `select from activity where id = ${activityId} for update`;
  scene.hit(`${wallet ? 'a wallet' : 'the activity'} for ${seconds} s`);
  await system.postgres.sql(`begin; ${row}; select pg_sleep(${seconds}); commit`);
}

const MALFORMED = [
  ['nonsense', 'nonsense'],
  ['', ''],
  ['1', 'u1'],
  ['1', 'u1 1:x'],
  ['1 waitlist', 'u1 1:1 u2'],
  ['18446744073709551616', 'u1 1:1'],
  ['v2', ''],
] as const;

async function writeMalformedEntry(scene: Scene): Promise<void> {
  const [field, value] = scene.chance.pick(MALFORMED);
  scene.hit(JSON.stringify(field));
  const keys = new RedisKeys(SHARDS);
  await scene.system.redis.use((redis) =>
    Promise.all(keys.shards.map((shard) => redis.xadd(keys.journal(shard), '*', field, value))),
  );
}

/** Stops all workers for longer than any time-out of other processes. */
async function sendWorkersAway(scene: Scene): Promise<void> {
  await Promise.all(scene.system.workers.map((worker) => worker.end()));
  scene.hit('both');
  await pause(scene.chance.integer(3_000, 5_000));
  await scene.system.startServices();
}

/** Freezes an API after a draw for longer than the sweep waits, while Redis forgets everything. */
async function freezeAndForget(scene: Scene): Promise<void> {
  const victim = scene.chance.pick(scene.system.apis);
  victim.signal('SIGSTOP');
  scene.hit(victim.name);
  await pause(scene.chance.integer(200, 1_500));
  await scene.system.redis.use((redis) => redis.flushall());
  await pause(scene.chance.integer(200, 1_500));
  victim.signal('SIGCONT');
}

async function bringBackOldRedis(scene: Scene): Promise<void> {
  const { redis } = scene.system;
  await killRedis(scene);
  redis.bringBackCopy();
  await redis.start();
}

/** Two hours ahead, when the rain is over; ten minutes back, when it has not begun. */
const STEPS_MS = [2 * 3_600_000, -600_000];

/** Gives the engine a clock of its own. If clocks cannot be stepped here, the round runs without one. */
export async function giveClock({ system }: Scene, which: 'postgres' | 'redis'): Promise<void> {
  const clock = await SteppedClock.make({ localDir: process.env.LOCAL_DIR || '.local' }).catch(
    () => undefined,
  );
  if (clock) await system[which].runOn(clock);
}

/** Steps an engine's clock and then steps it back. Locks taken in between may outlive the step. */
async function stepClock(scene: Scene, which: 'postgres' | 'redis'): Promise<void> {
  const engine = scene.system[which];
  const aheadMs = scene.chance.pick(STEPS_MS);
  engine.stepClock(aheadMs);
  scene.hit(`${aheadMs / 60_000} min`);
  if (scene.chance.isTrue(0.5)) await killSome(scene, scene.system.workers);
  await whileIll(scene);
  engine.stepClock(0);
}

const clockKind = (which: 'postgres' | 'redis'): Kind => ({
  name: `clock-step:${which}`,
  weight: 3,
  stepsClock: true,
  prepare: (scene) => giveClock(scene, which),
  strike: (scene) => stepClock(scene, which),
  missed: ({ system }) => !system[which].hasClock,
});

/** Engines that misbehave without being dead, and operators who tamper with them. */
export const ENGINES: readonly Kind[] = [
  { name: 'frozen:redis', weight: 2, strike: (scene) => freeze(scene, 'redis') },
  { name: 'frozen:postgres', weight: 2, strike: (scene) => freeze(scene, 'postgres') },
  {
    name: 'frozen-long:redis',
    weight: 1,
    long: true,
    strike: (scene) => freeze(scene, 'redis', ILL_LONG_MS),
  },
  {
    name: 'frozen-long:postgres',
    weight: 1,
    long: true,
    strike: (scene) => freeze(scene, 'postgres', ILL_LONG_MS),
  },
  { name: 'redis-full', weight: 2, strike: fillRedis, mend: roomAgain },
  { name: 'postgres-read-only', weight: 2, strike: refuseWrites, mend: (scene) => setReadOnly(scene, 'off') },
  { name: 'lost-commits', weight: 3, amnesia: true, losesCommits: true, strike: loseCommits },
  clockKind('redis'),
  clockKind('postgres'),
  { name: 'foreign-lock', weight: 2, strike: lockForeignRow },
  { name: 'malformed-entry', weight: 2, strike: writeMalformedEntry },
  { name: 'workers-away', weight: 1, strike: sendWorkersAway },
  { name: 'frozen-api-and-flushall', weight: 2, amnesia: true, strike: freezeAndForget },
  {
    name: 'old-redis',
    weight: 2,
    amnesia: true,
    strike: async (scene) => {
      scene.system.redis.keepCopy();
      scene.hit('a copy');
    },
    afterwards: bringBackOldRedis,
  },
];
