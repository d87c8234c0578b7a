import { spawn } from 'node:child_process';

export interface Run {
  /** Null if it ran out of time. */
  readonly code: number | null;
  /** The end of its output. */
  readonly output: string;
}

const OUTPUT_KEPT = 20_000;

/**
 * Runs a Node program in its own process group: a mutant in a loop does not notice that its parent is gone.
 */
export async function runNode(
  cwd: string,
  args: readonly string[],
  { env = {}, withinMs = Infinity }: { env?: NodeJS.ProcessEnv; withinMs?: number } = {},
): Promise<Run> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output = (output + text.toString()).slice(-OUTPUT_KEPT)));
  const end = () => endGroup(child.pid!);
  process.once('exit', end);
  let isCutOff = false;
  const cutOff = () => {
    isCutOff = true;
    end();
  };
  const timer = Number.isFinite(withinMs) ? setTimeout(cutOff, Math.max(0, withinMs)) : undefined;
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  process.off('exit', end);
  end();
  return { code: isCutOff ? null : code, output };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes of the group have ended.
  }
}
