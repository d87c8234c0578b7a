import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { VARIANTS } from './broken-variants';

const DIST = resolve(__dirname, '..', '..', 'dist');

const EDITS = VARIANTS.flatMap(({ name, edits }) => edits.map((edit) => ({ name, ...edit })));

describe('a broken variant', () => {
  it.each(EDITS)('finds the code that it breaks: $name, $file', ({ file, from }) => {
    expect(readFileSync(join(DIST, file), 'utf8').split(from)).toHaveLength(2);
  });
});
