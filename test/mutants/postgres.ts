import { join } from 'node:path';
import { programIn } from '../../src/dev/local/node-program';
import { onServer, databaseUrl, TEMPLATE_DATABASE } from '../harness/engines';
import { runNode } from './run-node';

/** Creates the database that tests copy, with the built programs of a checkout. */
export async function makeTemplate(checkout: string): Promise<void> {
  await onServer(`drop database if exists ${TEMPLATE_DATABASE}`);
  await onServer(`create database ${TEMPLATE_DATABASE}`);
  const { code, output } = await runNode(
    checkout,
    [programIn(join(checkout, 'dist'), 'commands/migrate.js')],
    { env: { NODE_ENV: 'test', MIGRATION_DATABASE_URL: databaseUrl(TEMPLATE_DATABASE) } },
  );
  if (code !== 0) throw new Error(`The database of the tests could not be migrated.\n${output}`);
}
