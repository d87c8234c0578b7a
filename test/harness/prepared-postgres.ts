import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import type { Engine } from '../../src/dev/engines';
import { asAppRole } from '../../src/dev/local/app-role';
import { databaseUrl, onServer, TEMPLATE_DATABASE } from './engines';

/** Makes this the server of the tests, with the role of the programs and the template of all databases. */
export async function preparePostgres({ url }: Engine, built?: Promise<void>): Promise<void> {
  process.env.TEST_DATABASE_URL = url;
  await asAppRole(url);
  await onServer(`create database ${TEMPLATE_DATABASE}`);
  await built;
  await migrate(databaseUrl(TEMPLATE_DATABASE));
}

/** Uses the built program, because Jest would load all modules of the product one by one. */
export const migrate = (url: string): Promise<void> =>
  runNode(['dist/commands/migrate.js'], 'A database of the tests could not be migrated.', {
    NODE_ENV: 'test',
    MIGRATION_DATABASE_URL: url,
  });

export async function runNode(args: string[], fault: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const options: SpawnOptions = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } };
  const [code] = (await once(spawn(process.execPath, args, options), 'exit')) as [number | null];
  if (code !== 0) throw new Error(fault);
}
