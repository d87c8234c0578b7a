import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiModule } from '../../src/api.module';
import { AppConfig } from '../../src/platform/config';
import { definedTasks } from '../../src/platform/schedule';
import { WorkerModule } from '../../src/worker.module';

type Import = NonNullable<ModuleMetadata['imports']>[number];

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'tasks.md'), 'utf8');

const documented = Array.from(page.matchAll(/^\| `(\w+)` +\| (API|worker|both) +\| (\S.*?) +\|/gm), (row) =>
  row.slice(1).join(', '),
);

const api = providersOf(ApiModule.forRoot(new AppConfig()));
const worker = providersOf(WorkerModule.forRoot(new AppConfig()));

/** Returns the declared providers of a module and of its imports. */
function providersOf(part: Import): Set<unknown> {
  const { module = part, imports = [], providers = [] } = part as Partial<DynamicModule>;
  const declared = (key: string): unknown[] =>
    (Reflect.getMetadata(key, module) as unknown[] | undefined) ?? [];
  const imported = [...imports, ...(declared('imports') as Import[])];
  return new Set([
    ...providers,
    ...declared('providers'),
    ...imported.flatMap((one) => [...providersOf(one)]),
  ]);
}

function programOf(owner: unknown): string {
  if (api.has(owner) && worker.has(owner)) return 'both';
  if (api.has(owner)) return 'API';
  return worker.has(owner) ? 'worker' : 'none';
}

const intervalOf = (every: number | string): string =>
  typeof every === 'number' ? `${every} ms` : `\`${every}\``;

it('docs/tasks.md lists exactly the existing tasks, each once, with its program and interval', () => {
  const tasks = definedTasks().map(
    ({ name, owner, every }) => `${name}, ${programOf(owner)}, ${intervalOf(every)}`,
  );
  expect([...documented].sort()).toEqual(tasks.sort());
});
