import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from '../engines';

export const DIST = join(__dirname, '..', '..', '..');
const READY_WITHIN_MS = 60_000;
const PROBE_TIMEOUT_MS = 1000;
const STOP_WITHIN_MS = 8000;

export interface NodeProgram {
  readonly name: string;
  /** For example `main.js` or `commands/migrate.js`. */
  readonly script: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly args?: readonly string[];
  /** The compiled programs of this build unless given. */
  readonly dist?: string;
  readonly stopWithinMs?: number;
}

export function startNodeProgram({ script, env, dist = DIST, args = [], ...rest }: NodeProgram) {
  return Program.start({
    stopWithinMs: STOP_WITHIN_MS,
    ...rest,
    command: process.execPath,
    args: ['--enable-source-maps', programIn(dist, script), ...args],
    env: { ...env, NO_COLOR: '1' },
    stopSignal: 'SIGTERM',
  });
}

/** Programs that know the engines are bundled; others are below `src`. */
export function programIn(dist: string, script: string): string {
  const bundled = join(dist, script);
  return existsSync(bundled) ? bundled : join(dist, 'src', script);
}

export function whenReady(program: Program, url: string): Promise<void> {
  return program.ready(() => isReady(url), READY_WITHIN_MS);
}

export async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
