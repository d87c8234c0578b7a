import type { Redis } from 'ioredis';
import type { Engine } from '../../../src/dev/engines';
import type { Sample, Variant } from '../measure';
import { drive, RANDOM } from './redis-benchmark';
import type { GrabScript, PacketCounts } from './scripts';

/** Limit of the share of random user ids that repeat. */
const REPEATED_SHARE_MAX = 0.001;

const MICROSECONDS = 1_000_000;

export interface Run {
  readonly name: string;
  readonly script: GrabScript;
  readonly usersPerCall: number;
  readonly grabs: number;
}

/**
 * Calls one script as fast as 50 clients get replies, with a packet for every user, and then checks
 * all counts in Redis.
 */
export function scriptVariant(engine: Engine, redis: Redis, run: Run): Variant {
  const { script, usersPerCall } = run;
  const requests = Math.ceil(run.grabs / usersPerCall);
  const grabs = requests * usersPerCall;
  return {
    name: run.name,
    async run() {
      await script.fill(grabs);
      const command = await script.command(new Array<string>(usersPerCall).fill(`n${RANDOM}`));
      const { driven, calls } = await counted(redis, 'evalsha', () => drive(engine, command, requests));
      if (calls !== requests) throw new Error(`${run.name}: ${calls} calls instead of ${requests}.`);
      check(run, requests, await script.count());
      return sampleOf(driven, grabs);
    },
  };
}

export function plainSet(engine: Engine, redis: Redis, requests: number): Variant {
  const command = ['SET', `u${RANDOM}`, '{"id":100000,"amount":1000}'];
  return {
    name: 'plain SET',
    async run() {
      await redis.flushall('SYNC');
      const driven = await drive(engine, command, requests);
      if ((await redis.dbsize()) < requests * (1 - REPEATED_SHARE_MAX))
        throw new Error('Plain SET did not write every key.');
      return sampleOf(driven, requests);
    },
  };
}

function check({ name, usersPerCall }: Run, requests: number, { left, won, journaled }: PacketCounts): void {
  const grabs = requests * usersPerCall;
  if (left + won !== grabs) throw new Error(`${name}: ${left} left and ${won} won of ${grabs} packets.`);
  if (won < grabs * (1 - REPEATED_SHARE_MAX)) throw new Error(`${name}: ${won} winners instead of ${grabs}.`);
  if (journaled !== undefined && (journaled > requests || journaled * usersPerCall < won))
    throw new Error(`${name}: ${journaled} journal entries for ${won} winners.`);
}

/** Does the work and counts the calls of the server meanwhile, all of which must succeed. */
async function counted<T>(
  redis: Redis,
  command: string,
  work: () => Promise<T>,
): Promise<{ driven: T; calls: number }> {
  await redis.config('RESETSTAT');
  const driven = await work();
  const stats = await redis.info('commandstats');
  const [, calls, failed] =
    new RegExp(`^cmdstat_${command}:calls=(\\d+).*failed_calls=(\\d+)`, 'm').exec(stats) ?? [];
  if (failed !== '0') throw new Error(`${failed ?? 'All'} calls of ${command} failed.`);
  return { driven, calls: Number(calls) };
}

/** Users who came twice within a run count as grabs: they cost the same call. */
const sampleOf = ({ seconds, redisCpu }: Awaited<ReturnType<typeof drive>>, grabs: number): Sample => ({
  grabsPerSecond: grabs / seconds,
  redisCpuPerGrabUs: (redisCpu / grabs) * MICROSECONDS,
  grabsPerCpuSecond: grabs / redisCpu,
});
