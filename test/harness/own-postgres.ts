import { childrenOf, type Engine, startPostgres } from '../../src/dev/engines';
import { preparePostgres } from './prepared-postgres';

/** Starts a Postgres for this test file alone, so that it can be frozen. All programs started later use it. */
export async function startOwnPostgres(): Promise<Engine> {
  const engine = await startPostgres({ localDir: process.env.LOCAL_DIR || '.local', durable: false });
  await preparePostgres(engine);
  return engine;
}

/**
 * Freezes every process of a server, as if its host were suspended.
 * @returns a function that lets it continue
 */
export async function freezePostgres({ pid }: Engine): Promise<() => void> {
  // The server itself comes first: once frozen, it starts no other process.
  process.kill(pid, 'SIGSTOP');
  const pids = [pid, ...(await childrenOf(pid))];
  const signal = (name: NodeJS.Signals) => pids.forEach((one) => signalIfThere(one, name));
  signal('SIGSTOP');
  return () => signal('SIGCONT');
}

/** A child of a server may have ended since it was listed. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
