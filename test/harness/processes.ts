import { join } from 'node:path';
import { Program } from '../../libs/local-engines';

const STOP_WITHIN_MS = 10_000;

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
