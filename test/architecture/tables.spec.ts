import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { extensions } from '../../src/extensions';
import { schema } from '../../src/schema';
import { extensionOf, foldersOf } from './folders';

/** Names of tables and sequences, by the folder of the extension whose schema has them. */
const owned = new Map(
  foldersOf('extensions').map(({ name }) => [
    join('src', 'extensions', name, '/'),
    Object.keys(extensionOf(name).schema?.grants ?? {}).map((object) => object.replace('sequence ', '')),
  ]),
);

/** Returns the tables of `names` that a file names in its SQL, its entities or its grants. */
function namedIn(file: string, text: string, names: readonly string[]): string[] {
  const candidates = names.filter((name) => text.includes(name));
  if (candidates.length === 0) return [];
  const sql = file.endsWith('.sql') ? [text.replace(/--.*/g, '')] : statementsOf(text);
  return candidates.filter(
    (name) => sql.some((statement) => isNamedBy(statement, name)) || isDeclaredIn(text, name),
  );
}

function isNamedBy(statement: string, name: string): boolean {
  const table = `(?:public\\.)?"?${name}"?`;
  return [
    `\\b(?:from|join|into|update|table|only|truncate|copy|references|trigger .* on)\\s+${table}(?![\\w'-])`,
    `\\bfrom\\s[^()]*,\\s*${table}(?![\\w'.-])`,
    `(?<![\\w.'/])${table}\\.["a-z]`,
    `(?:regclass|nextval|setval|privilege|serial_sequence)\\(\\s*'${table}'`,
    `'${table}'::regclass`,
  ].some((pattern) => new RegExp(pattern, 'i').test(statement));
}

const isDeclaredIn = (text: string, name: string): boolean =>
  new RegExp(`@Entity\\((?:\\{[^}]*name: )?'${name}'|\\b${name}'?:\\s*'(?:select|usage)\\b`).test(text);

/** The texts of a file in TypeScript that are SQL or parts of it; a gap of a template is a space. */
function statementsOf(text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push(node.text);
    if (ts.isTemplateExpression(node))
      found.push(
        [node.head, ...node.templateSpans.map(({ literal }) => literal)].map((one) => one.text).join(' '),
      );
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest));
  return found.filter((one) =>
    /\b(select|insert|update|delete|join|lock table|alter table|truncate)\b/i.test(one),
  );
}

const files = ['src', 'libs']
  .flatMap((root) => (readdirSync(root, { recursive: true }) as string[]).map((name) => join(root, name)))
  .filter((name) => /(?<!\.spec)\.(ts|sql)$/.test(name) && !name.startsWith(join('src', 'web', '/')));

it('only the folder of an extension names its tables in SQL, entities and grants', () => {
  const found = files.flatMap((file) => {
    const others = [...owned].filter(([folder]) => !file.startsWith(folder)).flatMap(([, names]) => names);
    return namedIn(file, readFileSync(file, 'utf8'), others).map((name) => `${file}: ${name}`);
  });
  expect(found).toEqual([]);
});

it('an extension brings the rights to each of its tables, and no two bring those to one', () => {
  const all = extensions.flatMap((extension) => Object.keys(extension.schema?.grants ?? {}));
  expect(new Set(all).size).toBe(all.length);
  expect(Object.keys(schema.grants)).toEqual(expect.arrayContaining(all));
});

it.each([
  'select from payout where id = $1',
  'select 1 from claim join payout using (id)',
  'select 1 from claim, payout where true',
  'select 1 from only public.payout',
  'insert into payout (id) values ($1)',
  'update "payout" set day = null',
  'with gone as (delete from payout returning id) select payout.id from gone',
  `select 'payout'::regclass`,
  `select nextval(pg_get_serial_sequence('payout', 'id'))`,
  'lock table payout in share mode',
  'alter table payout add column no integer',
])('a statement that names the table of an extension is found: %s', (statement) => {
  expect(namedIn('a.ts', `const sql = \`${statement} \${more}\`;`, ['payout'])).toEqual(['payout']);
  expect(namedIn('a.sql', statement, ['payout'])).toEqual(['payout']);
});

it.each([
  `@Entity('payout') class Payout {}`,
  `@Entity({ schema: 'public', name: 'payout' }) class Payout {}`,
  `const grants = { payout: 'select, insert' };`,
])('a declaration that names the table of an extension is found: %s', (declaration) => {
  expect(namedIn('a.ts', declaration, ['payout'])).toEqual(['payout']);
});

it.each([
  `// select from payout`,
  `const sql = "select id from transfer where kind = 'payout'";`,
  `const sql = 'select payout_channel_id from activity';`,
  `const sql = 'select from payouts';`,
  `const action = 'payout.reserve';`,
  `throw new Error('The channel of this payout has no update.');`,
])('a text that does not name the table of an extension is not taken for one that does: %s', (text) => {
  expect(namedIn('a.ts', text, ['payout'])).toEqual([]);
});
