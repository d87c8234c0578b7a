import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';

/** A crash leaves either the old or the new file. */
export function replaceFile(path: string, text: string): void {
  const file = openSync(`${path}.new`, 'w');
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}
