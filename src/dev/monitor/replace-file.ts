import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A crash leaves either the old or the new file. */
export function replaceFile(path: string, text: string): void {
  const unnamed = writeBeside(path, text);
  try {
    renameSync(unnamed, path);
  } finally {
    rmSync(unnamed, { force: true });
  }
}

/** Writes a text to disk under a name that nobody else uses, next to its final name. */
export function writeBeside(path: string, text: string, mode?: number): string {
  const unnamed = `${path}.${randomUUID()}.new`;
  const file = openSync(unnamed, 'wx', mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return unnamed;
}
