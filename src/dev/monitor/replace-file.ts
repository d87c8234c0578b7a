import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A crash leaves either the old or the new file. */
export function replaceFile(path: string, text: string): void {
  const unnamed = `${path}.${randomUUID()}.new`;
  const file = openSync(unnamed, 'wx');
  try {
    writeFileSync(file, text);
    fsyncSync(file);
    renameSync(unnamed, path);
  } finally {
    closeSync(file);
    rmSync(unnamed, { force: true });
  }
}
