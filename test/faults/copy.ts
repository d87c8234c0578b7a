import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const DIST = resolve(__dirname, '..', '..');

/** The files that start the bundled programs. */
const STARTERS = ['main.js', 'worker.js', 'commands/migrate.js', 'commands/erasure.js'];

/** Copies the compiled programs to a place below their packages for the duration of the work. */
export async function onCopy<T>(parent: string, work: (dist: string) => Promise<T>): Promise<T> {
  mkdirSync(parent, { recursive: true });
  const copy = mkdtempSync(join(parent, 'faults-'));
  try {
    cpSync(DIST, copy, { recursive: true });
    return await work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Makes the programs of this copy run from their separate modules, which can be edited. */
export function unbundle(copy: string): void {
  for (const file of STARTERS) rmSync(join(copy, file));
}
