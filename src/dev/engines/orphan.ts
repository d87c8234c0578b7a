import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, worksIn } from './process-table';

const POLL_MS = 20;
const POLITE_MS = 3000;
const KILLED_WITHIN_MS = 2000;
/** No process on any system has a number this high. */
const NO_PROCESS = '999999999';

export interface Remains {
  readonly directory: string;
  /** The first line is the process number. */
  readonly pidFile: string;
  readonly programs: string[];
}

/**
 * Ends the engine that a killed run may have left on a data directory. The number in the pid file may by now
 * belong to another program: then only the number is made harmless, because Postgres would refuse to start.
 * The file stays: it names the shared memory by which the next Postgres detects whether children of the dead
 * one are still writing.
 */
export async function stopOrphan(remains: Remains): Promise<void> {
  const pid = pidIn(remains.pidFile);
  if (pid === undefined || !isAlive(pid)) return;
  if (await isOrphan(pid, remains)) await end(pid, remains);
  else writeFileSync(remains.pidFile, readFileSync(remains.pidFile, 'utf8').replace(/^\d+/, NO_PROCESS));
}

function pidIn(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isOrphan(pid: number, { programs, directory }: Remains): Promise<boolean> {
  return worksIn(pid, programs, directory);
}

async function end(pid: number, remains: Remains): Promise<void> {
  process.kill(pid, 'SIGINT');
  if (await isGone(pid, remains, POLITE_MS)) return;
  process.kill(pid, 'SIGKILL');
  if (await isGone(pid, remains, KILLED_WITHIN_MS)) return;
  throw new Error(`Process ${pid} still uses ${remains.directory}: stop it.`);
}

async function isGone(pid: number, remains: Remains, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (await isOrphan(pid, remains)) {
    if (performance.now() > deadline) return false;
    await pause(POLL_MS);
  }
  return true;
}
