import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Engine } from '../../src/dev/engines';

/**
 * Does the work of `pg_basebackup`, which our package of Postgres lacks. Files may change or vanish
 * while they are copied: the log repairs that.
 * @returns the content of the copy's `backup_label`
 */
export async function copyWhileRunning({ url }: Engine, copy: () => Promise<unknown>): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('base backup', true)`);
    await copy();
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    return rows[0]!.labelfile;
  } finally {
    await client.end();
  }
}

/** The server renames these files, so it has to own them. */
export function writeAsOwner(dataDir: string, name: string, content: string): void {
  const { uid, gid } = statSync(dataDir);
  writeFileSync(join(dataDir, name), content);
  chownSync(join(dataDir, name), uid, gid);
}
