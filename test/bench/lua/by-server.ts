import type { Redis } from 'ioredis';
import type { Engine } from '../../../src/dev/engines';
import type { Sample, Variant } from '../measure';
import { drive, RANDOM, RANDOM_RANGE } from './redis-benchmark';
import type { GrabScript, PacketCounts } from './scripts';

/**
 * The state that a grab finds: a packet for every user, users who already hold one, or an empty
 * list.
 */
export type Situation = 'all win' | 'duplicate' | 'sold out';

const HOLDERS = 20_000;

/** Limit of the share of random user ids that repeat. */
const REPEATED_SHARE_MAX = 0.001;

const MICROSECONDS = 1_000_000;

export interface Run {
  readonly name: string;
  readonly script: GrabScript;
  readonly situation: Situation;
  readonly usersPerCall: number;
  readonly grabs: number;
}

/** Calls one script as fast as 50 clients get replies, and then checks all counts in Redis. */
export function scriptVariant(engine: Engine, redis: Redis, run: Run): Variant {
  const { script, situation, usersPerCall } = run;
  const requests = Math.ceil(run.grabs / usersPerCall);
  const grabs = requests * usersPerCall;
  const { packets, holders, user, range } = rainFor(situation, grabs);
  return {
    name: run.name,
    async run() {
      await script.fill(packets, holders);
      const command = await script.command(new Array<string>(usersPerCall).fill(user));
      const { driven, calls } = await counted(redis, 'evalsha', () =>
        drive(engine, { command, requests, range }),
      );
      if (calls !== requests) throw new Error(`${run.name}: ${calls} calls instead of ${requests}.`);
      check(run, { packets, holders, requests }, await script.count());
      return sampleOf(driven, grabs, usersPerCall);
    },
  };
}

export function plainSet(engine: Engine, redis: Redis, requests: number): Variant {
  const command = ['SET', `u${RANDOM}`, '{"id":100000,"amount":1000}'];
  return {
    name: 'plain SET',
    async run() {
      await redis.flushall('SYNC');
      const driven = await drive(engine, { command, requests, range: RANDOM_RANGE });
      if ((await redis.dbsize()) < requests * (1 - REPEATED_SHARE_MAX))
        throw new Error('Plain SET did not write every key.');
      return sampleOf(driven, requests, 1);
    },
  };
}

function rainFor(situation: Situation, grabs: number) {
  switch (situation) {
    case 'all win':
      return { packets: grabs, holders: 0, user: `n${RANDOM}`, range: RANDOM_RANGE };
    case 'duplicate':
      return { packets: 2 * HOLDERS, holders: HOLDERS, user: `u${RANDOM}`, range: HOLDERS };
    case 'sold out':
      return { packets: HOLDERS, holders: HOLDERS, user: `n${RANDOM}`, range: RANDOM_RANGE };
  }
}

function check(
  { name, situation, usersPerCall }: Run,
  { packets, holders, requests }: { packets: number; holders: number; requests: number },
  { left, won, journaled }: PacketCounts,
): void {
  if (left + won !== packets) throw new Error(`${name}: ${left} left and ${won} won of ${packets} packets.`);
  const winners = won - holders;
  const expected = situation === 'all win' ? requests * usersPerCall : 0;
  if (winners > expected || winners < expected * (1 - REPEATED_SHARE_MAX))
    throw new Error(`${name}: ${winners} winners instead of ${expected}.`);
  if (journaled !== undefined && (journaled > requests || journaled * usersPerCall < winners))
    throw new Error(`${name}: ${journaled} journal entries for ${winners} winners.`);
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
const sampleOf = (
  { requestsPerSecond, p99Ms, redisCpu }: Awaited<ReturnType<typeof drive>>,
  grabs: number,
  usersPerCall: number,
): Sample => ({
  grabsPerSecond: requestsPerSecond * usersPerCall,
  redisCpuPerGrabUs: (redisCpu / grabs) * MICROSECONDS,
  grabsPerCpuSecond: grabs / redisCpu,
  callP99Ms: p99Ms,
});
