import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a directory for the tests around the call, after which it is removed. */
export function ownDirectory(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `hongbao-${name}-`));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
