import { join } from 'node:path';
import { Program } from '../../libs/local-engines';

const STOP_WITHIN_MS = 10_000;
const PROBE_TIMEOUT_MS = 1_000;

export interface BuiltProgram {
  /** For messages. */
  readonly name: string;
  /** Below `src`: `main.js`, `commands/verify.js`. */
  readonly script: string;
  /** The compiled programs. */
  readonly dist: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
}

/** Starts a compiled program of ours. */
export function startBuilt({ name, script, dist, env, logFile }: BuiltProgram): Promise<Program> {
  return Program.start({
    name,
    command: process.execPath,
    args: ['--enable-source-maps', join(dist, 'src', script)],
    env,
    logFile,
    stopSignal: 'SIGTERM',
    stopWithinMs: STOP_WITHIN_MS,
  });
}

/** Whether the process that listens there says that it is ready. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(`${url}/health/ready`, { signal });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
