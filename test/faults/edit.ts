import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A change in a compiled file, at a place that must exist exactly once. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export function apply({ file, from, to }: Edit, dist: string): void {
  const path = join(dist, file);
  const parts = readFileSync(path, 'utf8').split(from);
  if (parts.length !== 2) throw new Error(`${file} contains ${parts.length - 1} times, not once: ${from}`);
  writeFileSync(path, parts.join(to));
}
