import { Program } from '../../src/dev/engines';
import { programIn } from '../../src/dev/local/node-program';

const STOP_WITHIN_MS = 10_000;

export interface BuiltProgram {
  readonly name: string;
  /** The script: `main.js`, `worker.js` or `commands/verify.js`. */
  readonly script: string;
  /** The directory of the compiled programs. */
  readonly dist: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
}

/** Starts a compiled program of ours. */
export function startBuilt({ name, script, dist, env, logFile }: BuiltProgram): Promise<Program> {
  return Program.start({
    name,
    command: process.execPath,
    args: ['--enable-source-maps', programIn(dist, script)],
    env,
    logFile,
    stopSignal: 'SIGTERM',
    stopWithinMs: STOP_WITHIN_MS,
  });
}
