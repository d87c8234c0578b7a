import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definedProblems, RULES } from '../../libs/problem';
import '../../src/api.module';
import '../../src/worker.module';

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'errors.md'), 'utf8');

/** Only rows that say what happened and what to do. */
const documented = Array.from(
  page.matchAll(/^\| `([a-z_.]+)` +\| (\d{3}) +\| \S.*? +\| \S.*? +\|$/gm),
  ([, code, status]) => `${code} ${status}`,
);

/** Its figures are separated by commas. */
const rules = Array.from(page.matchAll(/^\| `([a-z-]+)` +\| ([`a-z, ]*?) *\| \w.*\|$/gm), (row) => [
  row[1]!,
  Array.from(row[2]!.matchAll(/`(\w+)`/g), ([, figure]) => figure!),
]);

describe('docs/errors.md', () => {
  it('has exactly the rules that a field can break, with their figures', () => {
    expect(Object.fromEntries(rules)).toEqual(RULES);
  });

  it('has exactly the problems that this system can answer with, each once, with its status, meaning and remedy', () => {
    expect(documented.sort()).toEqual(definedProblems().map(({ code, status }) => `${code} ${status}`));
  });
});
