import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A change of a place in a compiled file that must be there exactly once. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export function apply({ file, from, to }: Edit, dist: string): void {
  const path = join(dist, file);
  const parts = readFileSync(path, 'utf8').split(from);
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times: ${from}`);
  writeFileSync(path, parts.join(to));
}
