import { waitFor } from '../harness/engines';
import { NoAnswer } from './api-call';
import type { EngineReader } from './engine-reader';
import { sayFirst } from './report';
import { System } from './system';

const QUIET_WITHIN_MS = 120_000;
const TRIES_MAX = 4;

export interface ProofPlan {
  readonly dist: string;
  readonly seed: number;
  readonly say: (line: string) => void;
}

/** Plays one story on its own system, whose data and logs are kept if it returns faults. */
export async function onOwnSystem(
  { dist, say }: ProofPlan,
  play: (system: System) => Promise<string[]>,
  { onCluster = false } = {},
): Promise<string[]> {
  const system = await System.start(dist, undefined, onCluster);
  try {
    const faults = await play(system);
    if (faults.length > 0) say(`evidence: ${system.directory}`);
    await system.stop();
    if (faults.length === 0) system.discard();
    return faults;
  } catch (error) {
    await system.stop();
    throw error;
  }
}

/** Prints the findings. Returns true if nothing is broken. */
export async function conclude({ say }: ProofPlan, finding: Promise<string[]>): Promise<boolean> {
  const began = performance.now();
  const faults = await finding;
  sayFirst(faults, say);
  say(`broken ${faults.length}, ${Math.round((performance.now() - began) / 1_000)} s`);
  return faults.length === 0;
}

/** Waits until every win is confirmed, credited and in the log. */
export async function quiet(system: System, reader: EngineReader): Promise<void> {
  const isQuiet = async () => {
    await system.reviveTheDead();
    return (await reader.unrest()) === undefined;
  };
  await waitFor(isQuiet, { what: 'a system that is quiet', timeoutMs: QUIET_WITHIN_MS });
}

/** Tries again: servers may be away for longer than a user is patient. */
export async function insist(work: () => Promise<void>, triesMax = TRIES_MAX): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NoAnswer) || tries === triesMax) throw error;
    }
}
