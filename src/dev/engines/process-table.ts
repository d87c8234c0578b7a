import { execFile } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Distinguishes a process from a later one with the same number.
 * @returns undefined when there is no such process
 */
export async function birthOf(pid: number): Promise<string | undefined> {
  try {
    return process.platform === 'linux' ? linuxBirth(pid) : await psBirth(pid);
  } catch {
    return undefined;
  }
}

export async function childrenOf(pid: number): Promise<number[]> {
  // The command fails if there are no processes.
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']).catch(() => ({ stdout: '' }));
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return rows.filter(([, parent]) => parent === pid).map(([child]) => child!);
}

/** Both engines change to their data directory. */
export async function worksIn(pid: number, programs: string[], directory: string): Promise<boolean> {
  try {
    const { program, cwd } = process.platform === 'linux' ? linuxProcess(pid) : await lsofProcess(pid);
    return programs.includes(program) && cwd === realpathSync(directory);
  } catch {
    return false;
  }
}

function linuxBirth(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${startTime}`;
}

async function psBirth(pid: number): Promise<string> {
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]);
  return stdout.trim();
}

function linuxProcess(pid: number): { program: string; cwd: string } {
  return { program: readFileSync(`/proc/${pid}/comm`, 'utf8').trim(), cwd: readlinkSync(`/proc/${pid}/cwd`) };
}

async function lsofProcess(pid: number): Promise<{ program: string; cwd: string }> {
  const { stdout } = await run('lsof', ['-a', '-p', String(pid), '-d', 'cwd', '-F', 'cn']);
  const field = (letter: string) => new RegExp(`^${letter}(.*)$`, 'm').exec(stdout)?.[1] ?? '';
  return { program: field('c'), cwd: field('n') };
}
