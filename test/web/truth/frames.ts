import type { Page } from 'playwright-core';
import { waitFor } from '../../harness/engines';
import { aheadOf, type Truth } from './beside';
import { type Frame, frameOf } from './frame';
import { contradictionsIn } from './rules';

/** Generous, because many pages share the cores. */
const STEP_MS = 240_000;

interface Watched {
  readonly page: Page;
  /** Reads the API alongside the page of an activity. */
  readonly truth?: () => Promise<Truth>;
}

/** Reads pages again and again, and keeps each contradiction with the frame that shows it. */
export class Frames {
  readonly contradictions = new Set<string>();
  count = 0;
  private readonly watched: Watched[] = [];

  watch(page: Page, truth?: () => Promise<Truth>): Page {
    this.watched.push({ page, truth });
    return page;
  }

  /** Reads every page at least once, and until `isSo` holds. There must be no contradiction. */
  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const readThen = async () => {
      await this.readAll();
      return isSo();
    };
    await waitFor(readThen, { what, timeoutMs: STEP_MS });
    expect({ what, contradictions: [...this.contradictions] }).toEqual({ what, contradictions: [] });
  }

  /** Reads every page until `framesMin` frames have been read. */
  async fill(framesMin: number): Promise<void> {
    while (this.count < framesMin) await this.readAll();
  }

  private async readAll(): Promise<void> {
    await Promise.all(this.watched.map((one) => this.read(one)));
  }

  private async read({ page, truth }: Watched): Promise<void> {
    const frame = await frameOf(page);
    this.count++;
    const ahead = truth ? this.beside(frame, await truth()) : [];
    for (const one of [...contradictionsIn(frame), ...ahead]) this.contradictions.add(one);
  }

  private beside(frame: Frame, truth: Truth): string[] {
    return aheadOf(frame, truth).map((what) => `${frame.path}: ahead of the API: ${what}`);
  }
}
