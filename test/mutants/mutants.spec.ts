import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AREAS, filesOf, sourcesOf, specsNear, WIDER } from './areas';
import { describe as changeOf, mutationsOf } from './mutations';

const root = resolve(__dirname, '..', '..');
const specs = filesOf(root, ['libs', 'src', 'test']).filter((file) => file.endsWith('.spec.ts'));

const planted = (file: string, text: string): string[] =>
  mutationsOf(file, text).map((mutation) => changeOf(mutation).replace(/^\S+ {2}/, ''));

describe('planted faults', () => {
  it.each(AREAS)('have files in $sources, and specs that exist', ({ sources, specs: patterns }) => {
    expect(sourcesOf(root, { sources, specs: patterns })).not.toEqual([]);
    for (const pattern of [...patterns, ...WIDER])
      expect([pattern, specs.some((spec) => new RegExp(pattern).test(spec))]).toEqual([pattern, true]);
  });

  it('are looked for by the specs that import their file first', () => {
    const [first] = specsNear(root, 'src/modules/grab/missing-activities.ts', AREAS[0]!);
    expect(first).toBe('src/modules/grab/missing-activities.spec.ts');
    expect(existsSync(join(root, first!))).toBe(true);
  });

  it('change an operator, a condition, a statement, a limit, a filter or SQL', () => {
    expect(planted('a.ts', 'const WAIT_MS = 5;')).toEqual(['5 → 10 * 5']);
    expect(planted('a.ts', 'if (a <= b) return;')).toEqual([
      'a <= b → !(a <= b)',
      'if (a <= b) return; → (nothing)',
      '<= → <',
    ]);
    expect(planted('a.ts', 'await book(); logger.warn("x"); list.filter(isDue);')).toEqual([
      'await book(); → (nothing)',
      'list.filter(isDue); → (nothing)',
      'list.filter(isDue) → list',
    ]);
    expect(planted('a.ts', 'const due = `select 1 from t where a and b = $1 for update`;')).toEqual([
      'and b = $1 for update → (nothing)',
      'for update → (nothing)',
    ]);
  });

  it('change conditions, operators and commands of scripts, and no comments', () => {
    const script = '-- a and b\nif a == 1 then\n  redis.call("DEL", key)\nend\n';
    expect(planted('a.lua', script)).toEqual([
      '== → ~=',
      'a == 1 → not (a == 1)',
      'redis.call("DEL", key) → (nothing)',
    ]);
  });
});
