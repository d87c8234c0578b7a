import { setTimeout as pause } from 'node:timers/promises';
import { LogMonitor, Rewritten } from '../../src/dev/monitor/log-monitor';
import type { EngineReader } from './engine-reader';

const LOOK_EVERY_MS = 150;

/** Collects the checkpoints of the claim log that an API shows during a round, as anyone may. */
export class LogWatch {
  private readonly notes = new Set<string>();
  private readonly ended = new AbortController();
  private readonly looking: Promise<void>;
  /** A monitor has noticed that a checkpoint is lost. */
  hasCried = false;

  constructor(private readonly apiUrl: string) {
    this.looking = this.keepLooking();
  }

  /**
   * A checkpoint stays true forever, unless Postgres has lost it. Then, and only then, a monitor that has kept
   * it must raise an alarm.
   */
  async judge(reader: EngineReader, mayBeLost: boolean): Promise<string[]> {
    await this.end();
    const notes = [...this.notes];
    const { lost, verifierKey } = await reader.checkpoints(notes);
    const checkpoint = lost.at(-1) ?? notes[0];
    if (checkpoint === undefined) return [];
    const monitor = new LogMonitor(this.apiUrl, { verifierKey, checkpoint, tiles: [], next: 0 });
    const cry = await monitor.pass().then(
      () => undefined,
      (error: Error) => error,
    );
    if (cry && !(cry instanceof Rewritten)) return [`the claim log cannot be read: ${cry.message}`];
    if (lost.length > 0 && !mayBeLost) return ['a signed checkpoint is lost'];
    if (cry && lost.length === 0) return [`the monitor cries: ${cry.message}`];
    this.hasCried = cry !== undefined;
    return !cry && lost.length > 0 ? ['the monitor says nothing about a lost checkpoint'] : [];
  }

  async end(): Promise<void> {
    this.ended.abort();
    await this.looking;
  }

  private async keepLooking(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      const response = await fetch(`${this.apiUrl}/v1/log/checkpoint`, { signal }).catch(() => undefined);
      if (response?.ok)
        await response.text().then(
          (note) => this.notes.add(note),
          () => undefined,
        );
      await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
