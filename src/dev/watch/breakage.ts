import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf } from '../engines';
import type { LocalSystem, PartName, RestartablePart } from '../local/system';

/** Long enough to be seen: waiting money becomes red after five seconds. */
const BROKEN_MS = 8_000;

interface Fault {
  readonly title: string;
  readonly part: PartName;
  readonly meanwhile: string;
  readonly breaking: (part: RestartablePart, brokenMs: number) => Promise<void>;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'kill-worker': {
    title: 'Kill the worker',
    part: 'worker',
    meanwhile: 'The worker is dead: people still win, nobody is paid. A supervisor starts it again.',
    breaking: kill,
  },
  'kill-redis': {
    title: 'Kill Redis',
    part: 'redis',
    meanwhile:
      'Redis is dead: taps are answered with 503, never with “sold out”. It comes back with what it had on disk.',
    breaking: kill,
  },
  'freeze-postgres': {
    title: 'Freeze Postgres',
    part: 'postgres',
    meanwhile: 'Postgres answers nobody: packets are set aside, and confirmed once it is back.',
    breaking: freeze,
  },
};

export interface FaultState {
  readonly name: string;
  readonly title: string;
  readonly meanwhile?: string;
}

/** Breaks one part at a time. */
export class Breakage {
  private broken?: string;
  private mending: Promise<void> = Promise.resolve();

  constructor(
    private readonly system: Pick<LocalSystem, 'parts'>,
    private readonly brokenMs = BROKEN_MS,
  ) {}

  get faults(): FaultState[] {
    const possible = Object.entries(FAULTS).filter(([, { part }]) => this.system.parts[part]);
    return possible.map(([name, { title, meanwhile }]) => ({
      name,
      title,
      ...(name === this.broken && { meanwhile }),
    }));
  }

  /** False when there is no such fault. */
  begin(name: string): boolean {
    const fault = FAULTS[name];
    const part = fault && this.system.parts[fault.part];
    if (!part) return false;
    if (this.broken === undefined) {
      this.broken = name;
      this.mending = fault.breaking(part, this.brokenMs).finally(() => (this.broken = undefined));
      this.mending.catch(() => undefined);
    }
    return true;
  }

  async end(): Promise<void> {
    await this.mending.catch(() => undefined);
  }
}

async function kill(part: RestartablePart, brokenMs: number): Promise<void> {
  process.kill(part.pid, 'SIGKILL');
  await pause(brokenMs);
  await part.restart();
}

/** Connections stay open, and no request is answered. */
async function freeze({ pid }: RestartablePart, brokenMs: number): Promise<void> {
  const pids = [pid, ...(await childrenOf(pid))];
  for (const one of pids) process.kill(one, 'SIGSTOP');
  await pause(brokenMs);
  for (const one of pids) process.kill(one, 'SIGCONT');
}
