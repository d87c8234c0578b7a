import { readdirSync, readFileSync } from 'node:fs';
import { cpuSeconds } from './measure';

const TICKS_A_SECOND = 100;

/** Counts children as well: Postgres works in them, and Redis rewrites its file in one. */
export function cpuSecondsWithChildren(pid: number): number {
  const [user, system] = statOf(pid).slice(13, 15).map(Number);
  const ended = (user! + system!) / TICKS_A_SECOND;
  return childrenOf(pid).reduce((sum, child) => sum + secondsOf(child), cpuSeconds(pid) + ended);
}

export const cpuSecondsOfAll = (programs: readonly { readonly pid: number }[]): number =>
  programs.reduce((sum, { pid }) => sum + cpuSecondsWithChildren(pid), 0);

/** A child that has just ended is counted with its parent next time. */
function secondsOf(child: number): number {
  try {
    return cpuSeconds(child);
  } catch {
    return 0;
  }
}

export function childrenOf(pid: number): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((other) => parentOf(other) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return undefined;
  }
}

/** The fields of proc(5) stat after the name of the program. */
const statOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
