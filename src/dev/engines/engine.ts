import { setTimeout as pause } from 'node:timers/promises';
import type { SteppedClock } from './stepped-clock';

/** A private server on a port of 127.0.0.1 that does not outlive the process that started it. */
export interface Engine {
  readonly url: string;
  readonly engine: string;
  readonly pid: number;
  /** Its data and `server.log`. */
  readonly dataDir: string;
  /** One line, whether it was asked to end or not. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface EngineOptions {
  /** Binaries between runs; `.local` unless given. */
  readonly localDir?: string;
  /** The data is deleted with the server unless this is given. */
  readonly dataDir?: string;
  /** Receives a line about each step that takes longer than a moment. */
  readonly report?: (line: string) => void;
  /** The clock that the server sees; the host's unless given. */
  readonly clock?: SteppedClock;
}

export const STOP_WITHIN_MS = 1500;
const ATTEMPTS_MAX = 3;
const RETRY_AFTER_MS = 300;

/** Tries another port: a process may take a free one between our choice and its use. */
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
