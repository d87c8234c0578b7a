import { setTimeout as pause } from 'node:timers/promises';
import type { SteppedClock } from './stepped-clock';

/**
 * A private server on a free port of 127.0.0.1 that does not outlive the process that started it.
 */
export interface Engine {
  readonly url: string;
  /** The name of the engine, for people. */
  readonly engine: string;
  readonly pid: number;
  /** The directory of its data and its `server.log`. */
  readonly dataDir: string;
  /** Resolves with one line when the server ends, whether it was asked to or not. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface EngineOptions {
  /** The directory of binaries between runs; `.local` of the working directory unless given. */
  readonly localDir?: string;
  /** The directory of the data between runs. Without it the data is deleted with the server. */
  readonly dataDir?: string;
  /** Receives a line about each step that takes longer than a moment. */
  readonly report?: (line: string) => void;
  /** The clock that the server sees; the host's unless given. */
  readonly clock?: SteppedClock;
}

export const STOP_WITHIN_MS = 1500;
const ATTEMPTS_MAX = 3;
const RETRY_AFTER_MS = 300;

/**
 * Starts again, with another port, when a start fails. Another process may take a free port between
 * our choice and its use, and children of a killed Postgres may need a moment to end.
 */
export async function retryStart<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempt === ATTEMPTS_MAX) throw error;
      await pause(RETRY_AFTER_MS);
    }
  }
}
