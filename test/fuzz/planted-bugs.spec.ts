import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PLANTED_BUGS } from './planted-bugs';

const DIST = resolve('dist');

describe('planted bugs', () => {
  it.each(PLANTED_BUGS)('$name has exactly one place in the compiled programs', ({ edit }) => {
    expect(readFileSync(join(DIST, edit.file), 'utf8').split(edit.from)).toHaveLength(2);
  });
});
