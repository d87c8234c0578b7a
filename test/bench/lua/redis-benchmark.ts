import { execFile } from 'node:child_process';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Engine, redisBinary } from '../../../src/dev/engines';
import { clocked } from '../measure';

const run = promisify(execFile);

const CLIENTS = 50;

/** The range of random(3). Each occurrence of the word in a command gets another number. */
export const RANDOM_RANGE = 2 ** 31 - 1;
export const RANDOM = '__rand_int__';
export const RANDOM_DIGITS = 12;

export interface Driven {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  readonly redisCpu: number;
}

/** Sends one command over and over from 50 connections, and measures the server. */
export async function drive(
  engine: Engine,
  { command, requests, range }: { command: readonly string[]; requests: number; range: number },
): Promise<Driven> {
  const { file, env } = await program();
  const { port } = new URL(engine.url);
  const options = { p: port, c: CLIENTS, n: requests, r: range };
  const flags = Object.entries(options).flatMap(([name, value]) => [`-${name}`, String(value)]);
  const { result, cpu } = await clocked([engine.pid], () =>
    run(file, [...flags, '--csv', ...command], { env, maxBuffer: Infinity }),
  );
  return { ...readCsv(result.stdout), redisCpu: cpu };
}

/** Finds the program beside the server, named like it. */
async function program(): Promise<{ file: string; env: NodeJS.ProcessEnv }> {
  const { command, env } = await redisBinary(resolve(process.env.LOCAL_DIR || '.local'));
  return { file: join(dirname(command), basename(command).replace('-server', '-benchmark')), env };
}

/** The fields are command, requests/s, then average, min, p50, p95, p99 and max in ms. */
function readCsv(csv: string): { requestsPerSecond: number; p99Ms: number } {
  const values = csv.trimEnd().split('\n').at(-1)!.split('","').slice(-7).map(parseFloat);
  const [requestsPerSecond, , , , , p99Ms] = values;
  if (!requestsPerSecond || p99Ms === undefined)
    throw new Error(`redis-benchmark answered ${csv.slice(-200)}`);
  return { requestsPerSecond, p99Ms };
}
