import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BENCH_NAMES, filesBehind, fingerprintOf } from '../bench/code-path';
import {
  checked,
  corrected,
  keepFigures,
  LINE,
  lineOf,
  type Measured,
  pagesOf,
  readRuns,
} from '../bench/figures';

const OLD: Measured = { command: 'npm run bench -- lua', commit: '1234567', date: '2026-01-02' };

const linesIn = (page: string): [line: string, bench: string][] =>
  Array.from(page.matchAll(LINE), ([line, bench]) => [line, bench!]);

describe('the figures in the docs', () => {
  const performance = readFileSync(join('docs', 'performance.md'), 'utf8');
  const named = linesIn(performance).map(([, bench]) => bench);

  it('are said to be as old as they are; `npm run bench -- --stale --write` says it', () => {
    const wrong = pagesOf().filter((file) => {
      const page = readFileSync(file, 'utf8');
      return corrected(page, readRuns()) !== page;
    });
    expect(wrong).toEqual([]);
  });

  it('name the run of every bench that docs/performance.md lists, once', () => {
    const listed = Array.from(performance.matchAll(/^\| `(\w+)` +\|/gm), ([, bench]) => bench!);
    expect(listed.length).toBeGreaterThan(0);
    expect([...named].sort()).toEqual(listed.sort());
  });

  it('have every run on record that is kept there', () => {
    expect(Object.keys(readRuns()).sort()).toEqual([...named].sort());
  });
});

describe('the line beside figures', () => {
  it('says whether the code path of the bench is what it was', () => {
    const [now, then] = [fingerprintOf('lua'), '0123456789ab'];
    expect(lineOf('lua', OLD)).toMatch(/at a version that nobody noted, before 1234567 \(2026-01-02\)\.$/);
    expect(lineOf('lua', { ...OLD, fingerprint: then })).toMatch(
      /, before the last change of its code path\.$/,
    );
    expect(lineOf('lua', { ...OLD, fingerprint: now })).toMatch(/; its code path is the same today\.$/);
  });

  it('is refused for a bench without a run, and a run for what is no bench', () => {
    expect(() => corrected('Measured by `npm run bench -- http`.', { lua: OLD })).toThrow('http');
    expect(() => checked({ nothing: OLD })).toThrow('nothing');
    expect(() => checked({ lua: { ...OLD, command: 'npm run bench -- lua --tiny' } })).toThrow('tiny');
    expect(() => checked({ lua: { ...OLD, fingerprint: 'later' } })).toThrow('later');
  });
});

describe('a code path', () => {
  let root: string;

  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hongbao-figures-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  const write = (file: string, text: string): string => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
    return join(root, file);
  };

  it('has what benches import of each other, and everything but tests in the folders that they exercise', () => {
    write('test/bench/one.ts', `import type { A } from './typed';\nimport {\n  b,\n} from './deep/two';\n`);
    write(
      'test/bench/deep/two.ts',
      `export { c } from '../three';\nimport { d } from '../../harness/four';\n`,
    );
    for (const file of ['three.ts', 'typed.ts', 'stranger.ts']) write(`test/bench/${file}`, '');
    for (const file of ['a.lua', 'a.spec.ts', 'deep/b.ts']) write(`libs/exercised/${file}`, '');
    expect(filesBehind(['test/bench/one.ts', 'libs/exercised'], root)).toEqual([
      'libs/exercised/a.lua',
      'libs/exercised/deep/b.ts',
      'test/bench/deep/two.ts',
      'test/bench/one.ts',
      'test/bench/three.ts',
    ]);
  });

  it('must be there', () => {
    expect(() => filesBehind(['libs/moved-away'], root)).toThrow('libs/moved-away');
    for (const name of BENCH_NAMES) expect(fingerprintOf(name)).toMatch(/^[0-9a-f]{12}$/);
  });

  it('is taken over with the figures of a run, and no figures of a tiny run are', () => {
    write('docs/figures.json', JSON.stringify({ lua: OLD }));
    const page = write('docs/deep/page.md', `# Figures\n\n${lineOf('lua', OLD)}\n\nLast.\n`);
    const run = { ...OLD, commit: '89abcde', fingerprint: fingerprintOf('lua') };
    const cite = write('run.json', JSON.stringify({ size: 'full', runs: { lua: run } }));
    const stale = keepFigures({ write: false, cite }, join(root, 'docs'));
    expect(stale.join('\n')).not.toMatch(/^lua:/m);
    expect(readRuns(join(root, 'docs'))).toEqual({ lua: run });
    expect(readFileSync(page, 'utf8')).toBe(`# Figures\n\n${lineOf('lua', run)}\n\nLast.\n`);
    const tiny = write('tiny.json', JSON.stringify({ size: 'tiny', runs: {} }));
    expect(() => keepFigures({ write: false, cite: tiny }, join(root, 'docs'))).toThrow('no figures');
  });
});
