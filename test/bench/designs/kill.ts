import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { Program } from '../../../src/dev/engines';
import { until } from '../until';
import type { Design } from './design';

const TOLD_BEFORE_KILL = 400;
const KILLED_WITHIN_MS = 60_000;
const GONE_WITHIN_MS = 20_000;

export interface Loss {
  /** Users who were told of a packet that Postgres does not know. */
  readonly toldInVain: number;
  /** Packets that no user has and no user can get any more. */
  readonly vanished: number;
}

export interface Victim {
  readonly name: string;
  readonly design: Design;
  readonly packets: number;
  readonly inFlight: number;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly logFile: string;
}

/** Kills a process in the middle of its grabs, lets another recover, and counts the losses. */
export async function killInMidLoad(victim: Victim, pg: Pool, redis: Redis): Promise<Loss> {
  const { design, packets } = victim;
  const rainId = await design.open(packets);
  const others = await connections(pg, redis);
  const told = toldBy(await runUntilKilled(victim, rainId));
  const isGone = async () => (await connections(pg, redis)).every((one) => others.includes(one));
  await until(isGone, 'the servers to notice that a process was killed', GONE_WITHIN_MS);
  await design.recover(rainId);
  const claims = await design.claims(rainId);
  const inVain = [...told].filter(([userId, amount]) => claims.get(userId) !== amount);
  const vanished = packets - claims.size - (await design.left(rainId));
  return { toldInVain: inVain.length, vanished };
}

async function runUntilKilled(victim: Victim, rainId: string): Promise<string> {
  const { name, databaseUrl, redisUrl, inFlight, logFile } = victim;
  const program = await Program.start({
    name,
    command: process.execPath,
    args: [join(__dirname, 'victim.js'), name, databaseUrl, redisUrl, rainId, String(inFlight)],
    env: process.env,
    logFile,
    stopSignal: 'SIGKILL',
    stopWithinMs: 0,
  });
  await program.ready(() => toldBy(program.output).size >= TOLD_BEFORE_KILL, KILLED_WITHIN_MS);
  process.kill(program.pid, 'SIGKILL');
  await program.ended;
  return program.output;
}

/** Reads only whole lines; the last line may have been cut off. */
const toldBy = (output: string): Map<string, number> =>
  new Map(
    Array.from(output.matchAll(/^told (\S+) (\d+)\n/gm), ([, user, amount]) => [user!, Number(amount)]),
  );

/** Servers still carry out a dead process's commands until they notice its end. */
async function connections(pg: Pool, redis: Redis): Promise<string[]> {
  const { rows } = await pg.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  const clients = String(await redis.client('LIST')).matchAll(/^id=(\d+)/gm);
  return [...rows.map(({ pid }) => `postgres ${pid}`), ...Array.from(clients, ([, id]) => `redis ${id}`)];
}
