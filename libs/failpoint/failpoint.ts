import { readFileSync } from 'node:fs';

/** Places between two steps at which the program must survive a crash. Names are `<flow>.<moment>`. */
export const FAILPOINTS = [
  'grab.after-draw',
  'grab.between-parts',
  'confirm.before-commit',
  'confirm.after-commit',
  'confirm.before-acknowledge',
  'confirm.after-acknowledge',
  'enqueue.before-add',
  'enqueue.after-add',
  'settle.before-commit',
  'settle.after-commit',
  'sweep.before-journal',
  'sweep.before-offer',
  'create.before-commit',
  'create.after-commit',
  'top-up.before-commit',
  'top-up.after-commit',
  'load.after-begin',
  'load.between-pages',
  'load.before-open',
  'close.after-intention',
  'close.after-refuse',
  'close.between-parts',
  'close.after-drain',
  'close.before-commit',
  'close.after-commit',
  'assign.before-draw',
  'assign.after-draw',
  'push.after-take',
  'push.after-push',
  'unsent.after-reserve',
  'unsent.before-commit',
  'send.before-call',
  'send.after-answer',
  'news.before-commit',
  'claim-log.before-commit',
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];

/** A trap: the action, and the pass on which it happens (the n-th, or every one). */
interface Trap {
  readonly action: string;
  readonly at: number | 'always';
  passed: number;
}

export class FailpointHit extends Error {}

/**
 * Reads `FAILPOINTS="<name>=<action>@<n>,…"`: the action is `kill`, `throw` or `wait:<ms>`, n a
 * number or `*`. Read only where NODE_ENV is `test`, so that no setting arms a trap in production.
 */
export function trapsFrom(env: NodeJS.ProcessEnv): Map<string, Trap> {
  const traps = new Map<string, Trap>();
  if (env.NODE_ENV !== 'test' || !env.FAILPOINTS) return traps;
  for (const text of env.FAILPOINTS.split(',')) {
    const [, name = '', action = '', at = ''] =
      /^([a-z.-]+)=(kill|throw|wait:\d+)@(\d+|\*)$/.exec(text) ?? [];
    if (!FAILPOINTS.some((known) => known === name))
      throw new Error(`FAILPOINTS: ${text} is not <name>=<action>@<n>.`);
    traps.set(name, { action, at: at === '*' ? 'always' : Number(at), passed: 0 });
  }
  return traps;
}

const { NODE_ENV, FAILPOINTS_FILE } = process.env;
const traps = trapsFrom(process.env);

/** A fault test changes the traps of a running process by this file and SIGUSR2. */
if (NODE_ENV === 'test' && FAILPOINTS_FILE !== undefined)
  process.on('SIGUSR2', () => setTraps(FAILPOINTS_FILE));

function setTraps(file: string): void {
  const FAILPOINTS = readFileSync(file, 'utf8');
  traps.clear();
  for (const [name, trap] of trapsFrom({ NODE_ENV, FAILPOINTS })) traps.set(name, trap);
  process.stderr.write(`failpoints set to "${FAILPOINTS}"\n`);
}

/** Does nothing, unless a fault test has set a trap here. */
export function failpoint(name: Failpoint): Promise<void> | undefined {
  if (traps.size === 0) return undefined;
  const trap = traps.get(name);
  if (!trap) return undefined;
  trap.passed += 1;
  return trap.at === 'always' || trap.at === trap.passed ? spring(name, trap.action) : undefined;
}

async function spring(name: Failpoint, action: string): Promise<void> {
  process.stderr.write(`failpoint ${name} ${action}\n`);
  if (action === 'kill') process.kill(process.pid, 'SIGKILL');
  if (action === 'throw') throw new FailpointHit(name);
  const [, waitMs] = action.split(':');
  await new Promise((resolve) => setTimeout(resolve, Number(waitMs ?? 60_000)));
}
