import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A change of one exact place in a compiled file. It is refused unless the place is there exactly
 * once.
 */
export interface Edit {
  /** The path below the compiled programs. */
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
