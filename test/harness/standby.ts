import { execFile } from 'node:child_process';
import { appendFileSync, chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type Engine, startPostgres } from '../../src/dev/engines';
import { onServer, waitFor } from './engines';

const run = promisify(execFile);
const localDir = process.env.LOCAL_DIR || '.local';

/** The name by which the standby receives the log and the primary waits for it. */
const NAME = 'standby';

/**
 * Starts a standby in a copy of the running primary's data.
 * @param dataDir below a directory whose owner is that of the primary's data
 * @param port the source of the log, if not the primary itself
 */
export async function startStandby(
  primary: Engine,
  dataDir: string,
  { durable = false, port = Number(new URL(primary.url).port) } = {},
): Promise<Engine> {
  const { hostname, username } = new URL(primary.url);
  writeAsOwner(dataDir, 'backup_label', await copyWhileRunning(primary, dataDir));
  writeAsOwner(dataDir, 'standby.signal', '');
  appendFileSync(
    join(dataDir, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} application_name=${NAME}'\n`,
  );
  return startPostgres({ localDir, dataDir, durable });
}

/** Does the work of `pg_basebackup`. Returns the content of the copy's `backup_label`. */
async function copyWhileRunning(primary: Engine, dataDir: string): Promise<string> {
  const client = new Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('${NAME}', true)`);
    // Files may change or vanish while they are copied: the log repairs that.
    await run('cp', ['-a', primary.dataDir, dataDir]).catch(() => undefined);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    for (const file of ['postmaster.pid', 'postmaster.opts']) rmSync(join(dataDir, file), { force: true });
    return rows[0]!.labelfile;
  } finally {
    await client.end();
  }
}

/** The server renames these files, and so has to own them. */
function writeAsOwner(dataDir: string, name: string, content: string): void {
  const { uid, gid } = statSync(dataDir);
  writeFileSync(join(dataDir, name), content);
  chownSync(join(dataDir, name), uid, gid);
}

export async function waitForStandby({ url }: Engine): Promise<void> {
  await onServer(`alter system set synchronous_standby_names = '${NAME}'`, url);
  await onServer('select pg_reload_conf()', url);
  const client = new Client({ connectionString: url });
  await client.connect();
  const isSynchronous = async () =>
    (await client.query(`select from pg_stat_replication where sync_state = 'sync'`)).rowCount === 1;
  await waitFor(isSynchronous, { what: 'a synchronous standby' }).finally(() => client.end());
}

/** Makes the standby a primary, which waits for no other server. */
export async function promote({ url }: Engine): Promise<void> {
  await onServer('select pg_promote()', url);
}
