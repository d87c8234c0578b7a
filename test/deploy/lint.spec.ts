import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './programs';

const COPIED = [
  ...['package.json', 'package-lock.json', 'deploy/node-floor.js', 'src/dev/launcher'],
  ...['.prettierrc.json', 'eslint.config.mjs', 'eslint.files.config.mjs'],
];

const UNFORMATTED = 'export const text = "text";\n';

describe('npm run lint -- FILE…', () => {
  let checkout: string;

  beforeAll(() => {
    checkout = mkdtempSync(join(tmpdir(), 'hongbao-lint-'));
    for (const path of COPIED) cpSync(join(root, path), join(checkout, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    writeFileSync(join(checkout, 'fine.ts'), 'export const fine = 1;\n');
    writeFileSync(join(checkout, 'notes.unknown'), 'Neither tool knows this kind of file.\n');
    writeFileSync(join(checkout, 'double-quotes.ts'), UNFORMATTED);
    writeFileSync(join(checkout, 'unformatted.ts'), UNFORMATTED);
    writeFileSync(join(checkout, 'equal.ts'), 'export const isNone = (value: unknown) => value == null;\n');
  });
  afterAll(() => rmSync(checkout, { recursive: true }));

  const read = (file: string): string => readFileSync(join(checkout, file), 'utf8');

  function launch(...args: string[]): { status: number | null; said: string } {
    const options = { cwd: checkout, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('node', ['src/dev/launcher/run.mjs', ...args], options);
    return { status, said: stdout + stderr };
  }

  it('passes named files that are in order, whatever the state of the others', () => {
    expect(launch('lint', 'fine.ts', 'notes.unknown')).toMatchObject({ status: 0 });
  });

  it('names the file that is not formatted', () => {
    const { status, said } = launch('lint', 'fine.ts', 'double-quotes.ts');
    expect([status, said]).toEqual([1, expect.stringContaining('double-quotes.ts')]);
    expect(said).not.toContain('unformatted.ts');
  });

  it('names the rule that a file breaks', () => {
    expect(launch('lint', 'equal.ts')).toEqual({ status: 1, said: expect.stringContaining('eqeqeq') });
  });

  it('names a file that is not there, and checks nothing', () => {
    const { status, said } = launch('lint', 'fine.ts', 'gone.ts');
    expect([status, said]).toEqual([1, 'There is no file gone.ts.\n']);
  });

  it('is satisfied by npm run format -- FILE…, which changes only the named files', () => {
    expect(launch('format', 'double-quotes.ts')).toMatchObject({ status: 0 });
    expect(read('double-quotes.ts')).toBe("export const text = 'text';\n");
    expect(read('unformatted.ts')).toBe(UNFORMATTED);
  });
});
