import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Does something again and again, with a pause between the end of one run and the start of the next, so that runs never
 * overlap. A run that fails is logged and the next one comes all the same. A run that works through a list has to look at
 * its signal: while a server hangs, every item may cost its time-out, and the process has to end within seconds.
 */
export class RepeatingTask {
  private readonly stopping = new AbortController();
  private readonly logger: Logger;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly name: string,
    private readonly intervalMs: number,
    private readonly run: (stopping: AbortSignal) => Promise<unknown>,
  ) {
    this.logger = new Logger(name);
  }

  start(): void {
    this.ended = this.repeat();
  }

  /** Resolves when the run that is under way has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  private async repeat(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.run(signal);
      } catch (error) {
        this.logger.error(
          `${this.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
      }
      await delay(this.intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
