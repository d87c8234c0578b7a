import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definedProblems, RULES } from '../../libs/problem';
import '../../src/api.module';
import '../../src/worker.module';

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'errors.md'), 'utf8');

const rows = Array.from(page.matchAll(/^\| `([a-z_.]+)` +\| (\d{3}) +\| (.+?) +\| (.+?) +\|$/gm), (row) => ({
  code: row[1]!,
  status: Number(row[2]),
  whatHappened: row[3]!,
  whatToDo: row[4]!,
}));

/** Its figures are separated by commas. */
const rules = Array.from(page.matchAll(/^\| `([a-z-]+)` +\| ([`a-z, ]*?) *\| \w.*\|$/gm), (row) => [
  row[1]!,
  Array.from(row[2]!.matchAll(/`(\w+)`/g), ([, figure]) => figure!),
]);

describe('docs/errors.md', () => {
  it('has exactly the rules that a field can break, with their figures', () => {
    expect(Object.fromEntries(rules)).toEqual(RULES);
  });

  it('has exactly the problems that this system can answer with, each once and with its status', () => {
    const documented = rows.map(({ code, status }) => `${code} ${status}`).sort();
    expect(documented).toEqual(definedProblems().map(({ code, status }) => `${code} ${status}`));
  });

  it.each(rows)('says what $code means and what to do', ({ whatHappened, whatToDo }) => {
    expect(whatHappened).toMatch(/\w/);
    expect(whatToDo).toMatch(/\w/);
  });
});
