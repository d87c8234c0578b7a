import { execFile } from 'node:child_process';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Engine, redisBinary } from '../../../src/dev/engines';
import { clocked } from '../measure';

const run = promisify(execFile);

const CLIENTS = 50;

/** The range of random(3). Each occurrence of the word in a command gets a different number. */
const RANDOM_RANGE = 2 ** 31 - 1;
export const RANDOM = '__rand_int__';

/** Sends one command repeatedly from 50 connections, and measures the server. */
export async function drive(
  engine: Engine,
  command: readonly string[],
  requests: number,
): Promise<{ seconds: number; redisCpu: number }> {
  const { file, env } = await program();
  const { port } = new URL(engine.url);
  const options = { p: port, c: CLIENTS, n: requests, r: RANDOM_RANGE };
  const flags = Object.entries(options).flatMap(([name, value]) => [`-${name}`, String(value)]);
  const { result, cpu } = await clocked([engine.pid], () =>
    run(file, [...flags, '--csv', ...command], { env, maxBuffer: Infinity }),
  );
  return { seconds: requests / perSecondIn(result.stdout), redisCpu: cpu };
}

async function program(): Promise<{ file: string; env: NodeJS.ProcessEnv }> {
  const { command, env } = await redisBinary(resolve(process.env.LOCAL_DIR || '.local'));
  return { file: join(dirname(command), basename(command).replace('-server', '-benchmark')), env };
}

/** The fields are the command, requests per second, and six latencies. */
function perSecondIn(csv: string): number {
  const perSecond = parseFloat(csv.trimEnd().split('\n').at(-1)!.split('","').at(-7)!);
  if (!(perSecond > 0)) throw new Error(`redis-benchmark answered ${csv.slice(-200)}`);
  return perSecond;
}
