import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';

/** Before a process is started again; doubles while it does not last. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** A process that has served this long has started well; what ended it is something new. */
const LASTING_MS = 10_000;

const logger = new Logger('Processes');

/** In a process of a group: it is ready to serve. */
export function sayServing(): void {
  process.send?.({ kind: 'serving' });
}

/** The place of one process in the group. Whenever that process ends, another takes the place. */
export class Seat {
  private holder?: Worker;
  private successor?: Worker;
  private failures = 0;
  private filling?: Promise<void>;
  private readonly leaving = new AbortController();

  /** @param welcome is shown each process that is started */
  constructor(
    readonly number: number,
    private readonly welcome: (child: Worker) => void,
  ) {}

  /** The process that serves, if one does. */
  get serving(): Worker | undefined {
    return this.holder;
  }

  /**
   * Starts a process, which takes the place as soon as it serves.
   *
   * @returns false when it has ended before
   */
  async start(): Promise<boolean> {
    const child = cluster.fork();
    // A message to a process that is about to end may find nobody.
    child.on('error', (error) => logger.debug(error.message));
    this.successor = child;
    this.welcome(child);
    const serves = await startedServing(child);
    this.successor = undefined;
    if (serves) this.take(child);
    return serves;
  }

  /** Starts processes, with growing pauses, until one serves. */
  fill(): Promise<void> {
    this.filling ??= this.keepStarting().finally(() => (this.filling = undefined));
    return this.filling;
  }

  /**
   * Lets another process take over, and then ends the one that was there.
   *
   * @returns false when the other one has not come to serve
   */
  async replace(): Promise<boolean> {
    if (this.filling) return this.filling.then(() => true);
    const former = this.holder;
    const isReplaced = await this.start();
    if (isReplaced && former) await end(former);
    if (!this.holder) void this.fill();
    return isReplaced;
  }

  /**
   * Ends what is there, for good.
   *
   * @returns whether it has finished what it was doing
   */
  async leave(): Promise<boolean> {
    this.leaving.abort();
    const { holder, successor } = this;
    const [isFinished] = await Promise.all([holder ? end(holder) : true, successor && end(successor)]);
    return isFinished;
  }

  /** At once, whatever it is doing. */
  kill(): void {
    for (const child of [this.holder, this.successor]) child?.process.kill('SIGKILL');
  }

  private take(child: Worker): void {
    const servesSinceMs = performance.now();
    this.holder = child;
    child.once('exit', (code, signal) => {
      if (this.holder !== child) return;
      this.holder = undefined;
      if (this.leaving.signal.aborted) return;
      if (performance.now() - servesSinceMs > LASTING_MS) this.failures = 0;
      logger.error(`process ${this.number} (${child.process.pid}) ended with ${signal ?? code}`);
      if (!this.successor) void this.fill();
    });
    logger.log(`process ${this.number} (${child.process.pid}) serves`);
  }

  private async keepStarting(): Promise<void> {
    const { signal } = this.leaving;
    do {
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.failures++, LONGEST_PAUSE_MS);
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    } while (!signal.aborted && !(await this.start()));
  }
}

async function startedServing(child: Worker): Promise<boolean> {
  return new Promise((resolve) => {
    child.on('message', (message: { kind: string }) => {
      if (message.kind === 'serving') resolve(true);
    });
    child.once('exit', () => resolve(false));
  });
}

/** @returns whether it ended with success */
async function end(child: Worker): Promise<boolean> {
  if (child.isDead()) return child.process.exitCode === 0;
  const ended = new Promise<boolean>((resolve) => child.once('exit', (code) => resolve(code === 0)));
  child.process.kill('SIGTERM');
  return ended;
}
