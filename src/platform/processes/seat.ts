import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';

/** Pause before a process is started again. It doubles while processes end early. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** A process that has served this long has started well. */
const LASTING_MS = 10_000;

const logger = new Logger('Processes');

export function sayServing(): void {
  process.send?.({ kind: 'serving' });
}

/** The place of one process in the group. */
export class Seat {
  private holder?: Worker;
  private successor?: Worker;
  private failures = 0;
  private filling?: Promise<void>;
  private readonly leaving = new AbortController();

  /** @param welcome receives each process that is started */
  constructor(
    readonly number: number,
    private readonly welcome: (child: Worker) => void,
  ) {}

  get serving(): Worker | undefined {
    return this.holder;
  }

  /**
   * Starts a process, which takes the place as soon as it serves.
   * @returns false when it ended before that
   */
  async start(): Promise<boolean> {
    const child = cluster.fork();
    // A message to a process that is about to end may fail.
    child.on('error', (error) => logger.debug(error.message));
    this.successor = child;
    this.welcome(child);
    const serves = await startedServing(child);
    this.successor = undefined;
    if (serves) this.take(child);
    return serves;
  }

  fill(): Promise<void> {
    this.filling ??= this.keepStarting().finally(() => (this.filling = undefined));
    return this.filling;
  }

  /**
   * Lets another process take over, and then ends the former one.
   * @returns false if the other did not begin to serve
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
   * Ends the processes of this place for good.
   * @returns whether they finished their work
   */
  async leave(): Promise<boolean> {
    this.leaving.abort();
    const { holder, successor } = this;
    const [isFinished] = await Promise.all([holder ? end(holder) : true, successor && end(successor)]);
    return isFinished;
  }

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
