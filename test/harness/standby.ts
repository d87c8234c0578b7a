import { execFile } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type Engine, type PostgresOptions, startPostgres } from '../../src/dev/engines';
import { copyWhileRunning, writeAsOwner } from './base-backup';
import { onServer, waitFor } from './engines';

const run = promisify(execFile);
const localDir = process.env.LOCAL_DIR || '.local';

/** The name under which the standby receives the log and the primary waits for it. */
const NAME = 'standby';

/**
 * Starts a standby in a copy of the running primary's data.
 * @param dataDir below a directory with the same owner as the primary's data
 * @param port the source of the log, if not the primary itself
 */
export async function startStandby(
  primary: Engine,
  dataDir: string,
  options: Pick<PostgresOptions, 'durable' | 'stopWithinMs'> & { readonly port?: number } = {},
): Promise<Engine> {
  const { hostname, username, port: ownPort } = new URL(primary.url);
  const { port = Number(ownPort), durable = false, stopWithinMs } = options;
  const label = await copyWhileRunning(primary, () => copyFiles(primary.dataDir, dataDir));
  for (const file of ['postmaster.pid', 'postmaster.opts']) rmSync(join(dataDir, file), { force: true });
  writeAsOwner(dataDir, 'backup_label', label);
  writeAsOwner(dataDir, 'standby.signal', '');
  appendFileSync(
    join(dataDir, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} application_name=${NAME}'\n`,
  );
  return startPostgres({ localDir, dataDir, durable, stopWithinMs });
}

/** `cp` fails when a file vanishes, but still copies the others. */
const copyFiles = (from: string, to: string): Promise<unknown> =>
  run('cp', ['-a', from, to]).catch(() => undefined);

export async function waitForStandby({ url }: Engine): Promise<void> {
  await onServer(`alter system set synchronous_standby_names = '${NAME}'`, url);
  await onServer('select pg_reload_conf()', url);
  const client = new Client({ connectionString: url });
  await client.connect();
  const isSynchronous = async () =>
    (await client.query(`select from pg_stat_replication where sync_state = 'sync'`)).rowCount === 1;
  await waitFor(isSynchronous, { what: 'a synchronous standby' }).finally(() => client.end());
}

/** Makes the standby a primary that waits for no other server. */
export async function promote({ url }: Engine): Promise<void> {
  await onServer('select pg_promote()', url);
}
