import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { Run, TaskDefinition } from './task-catalog';

/**
 * Pauses between the end of one run and the start of the next, so that runs never overlap. A failed
 * run is logged. A run through a list must check its signal: while a server hangs, every item may
 * cost its time-out, and the process has to end within seconds.
 */
export class RepeatingTask {
  private readonly stopping = new AbortController();
  private readonly logger: Logger;
  private ended: Promise<void> = Promise.resolve();
  private isFailing = false;

  constructor(
    private readonly task: Pick<TaskDefinition, 'name' | 'logs'>,
    private readonly intervalMs: number,
    private readonly run: Run,
  ) {
    this.logger = new Logger(task.name);
  }

  start(): void {
    this.ended = this.repeat();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  private async repeat(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.run(signal);
        this.noteSuccess();
      } catch (error) {
        this.noteFailure(error);
      }
      await delay(this.intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private noteSuccess(): void {
    if (this.isFailing && this.task.logs === 'changes') this.logger.log(`${this.task.name} works again.`);
    this.isFailing = false;
  }

  private noteFailure(error: unknown): void {
    const { name, logs } = this.task;
    if (logs === 'failures')
      this.logger.error(
        `${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    else if (!this.isFailing) this.logger.error(`${name} fails: ${String(error)}`);
    this.isFailing = true;
  }
}
