import { spawn } from 'node:child_process';

export interface Run {
  /** Null when its time was over. */
  readonly code: number | null;
  /** The end of what it wrote. */
  readonly output: string;
}

const OUTPUT_KEPT = 20_000;

export async function runNode(
  cwd: string,
  args: readonly string[],
  { env = {}, withinMs = Infinity }: { env?: NodeJS.ProcessEnv; withinMs?: number } = {},
): Promise<Run> {
  const child = spawn(process.execPath, args, {
    ...{ cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output = (output + text.toString()).slice(-OUTPUT_KEPT)));
  const timer = Number.isFinite(withinMs) ? setTimeout(() => child.kill(), Math.max(0, withinMs)) : undefined;
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  return { code: child.killed ? null : code, output };
}
