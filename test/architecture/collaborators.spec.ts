import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as ts from 'typescript';

const source = resolve(__dirname, '..', '..', 'src');

const COLLABORATORS_MAX = 5;

/** What every class may use. */
const TOOLS = ['AppConfig', 'Currency', 'DataSource', 'Metrics', 'RedisClient'];

/** Those that may have more; docs/decisions/0032 says why. */
const EXCEPTIONS = { ActivityTidying: 6, CreateService: 6, GrabService: 7 };

/** How many of our own classes each class of a file is constructed with. */
function* collaboratorsIn(path: string): Generator<[name: string, count: number]> {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  for (const statement of file.statements) {
    if (!ts.isClassDeclaration(statement)) continue;
    const parameters = statement.members.find(ts.isConstructorDeclaration)?.parameters ?? [];
    const types = parameters.map(({ type }) => type?.getText(file) ?? '');
    yield [statement.name!.text, types.filter((type) => /^[A-Z]/.test(type) && !TOOLS.includes(type)).length];
  }
}

it('No class has more collaborators than it may have', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const classes = files.flatMap((path) => [...collaboratorsIn(join(source, path))]);
  expect(classes.length).toBeGreaterThan(100);
  expect(Object.fromEntries(classes.filter(([, count]) => count > COLLABORATORS_MAX))).toEqual(EXCEPTIONS);
});
