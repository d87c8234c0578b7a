import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Migrates a database that a test has started itself. */
export async function migrate(url: string): Promise<void> {
  const env = { ...process.env, NODE_ENV: 'test', MIGRATION_DATABASE_URL: url };
  const [code] = (await once(spawn(process.execPath, ['dist/commands/migrate.js'], { env }), 'exit')) as [
    number | null,
  ];
  if (code !== 0) throw new Error('The database could not be migrated.');
}
