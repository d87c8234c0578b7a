import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AREAS, specFiles } from './areas';
import { EDITS } from './edits';
import { mutantsIn } from './report';
import { SURVIVORS } from './survivors';

const root = resolve(__dirname, '..', '..');
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const specs = specFiles(root, ['']);
const specsOf = (beginning: string): string[] => specs.filter((name) => name.startsWith(beginning));

it.each(AREAS)(
  'the area $name of planted mistakes has files and specs that exist',
  ({ sources, specs: named }) => {
    const files = sources.filter((glob) => !glob.startsWith('!')).map((glob) => glob.replace(/\*.*/, ''));
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(named.filter((spec) => specsOf(spec).length === 0)).toEqual([]);
  },
);

it.each(AREAS)(
  'the area $name of planted mistakes names no file whose code has been moved elsewhere',
  ({ sources }) => {
    const named = sources.filter((source) => !source.includes('*'));
    expect(named.filter((file) => !/=>|function|class /.test(textOf(file)))).toEqual([]);
  },
);

it.each(EDITS)(
  'the mistake $from → $to can be planted in $file at exactly one place, and names a spec',
  ({ file, from, to, spec, test = '' }) => {
    expect([textOf(file).split(from).length, specsOf(spec).length, from === to]).toEqual([2, 1, false]);
    expect(textOf(specsOf(spec)[0]!)).toContain(test);
  },
);

it('listed survivors are in existing files, and each has a reason', () => {
  for (const { file, why } of SURVIVORS)
    expect([existsSync(join(root, file)), why.length > 10]).toEqual([true, true]);
});

it('no mutants are found if there is no report', () =>
  expect(mutantsIn(join(root, 'no-such-report.json'))).toEqual([]));
