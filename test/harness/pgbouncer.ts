import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort, Program, throwAwayDirectory } from '../../src/dev/engines';
import { distributed } from './distributed';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 1_500;

/** Fewer connections than one process of ours opens, so that clients take turns. */
export const SERVER_CONNECTIONS = 4;

/** A new PgBouncer, which lends a connection to a client for one transaction at a time. */
export class PgBouncer {
  private constructor(
    private readonly program: Program,
    private readonly port: number,
  ) {}

  /** Starts in front of the server at that URL; returns undefined if there is no PgBouncer. */
  static async start(databaseUrl: string, roles: readonly string[]): Promise<PgBouncer | undefined> {
    const pgbouncer = await distributed('pgbouncer', 'usr/sbin/pgbouncer');
    if (!pgbouncer) return undefined;
    const directory = throwAwayDirectory('pgbouncer');
    const port = await freePort();
    const file = join(directory, 'pgbouncer.ini');
    const users = join(directory, 'users.txt');
    writeFileSync(users, [...roles, ADMIN].map((role) => `"${role}" ""\n`).join(''));
    writeFileSync(file, settings(databaseUrl, port, users));
    const program = await Program.start({
      name: 'PgBouncer',
      ...pgbouncer,
      args: [file],
      logFile: join(directory, 'pgbouncer.log'),
      stopSignal: 'SIGTERM',
      stopWithinMs: STOP_WITHIN_MS,
      throwAwayDirectory: directory,
    });
    const started = new PgBouncer(program, port);
    await program.ready(() => accepts(started.to(databaseUrl)), READY_WITHIN_MS);
    return started;
  }

  /** Returns the URL of the same database and role through this PgBouncer. */
  to(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.port = String(this.port);
    return url.href;
  }

  /** Replaces the connections to a database as soon as they are unused. */
  reconnect(database: string): Promise<void> {
    return this.command(`reconnect ${database}`);
  }

  /** Ends all connections to a database, and admits no client before `resume`. */
  kill(database: string): Promise<void> {
    return this.command(`kill ${database}`);
  }

  resume(database: string): Promise<void> {
    return this.command(`resume ${database}`);
  }

  stop(): Promise<void> {
    return this.program.stop();
  }

  private async command(command: string): Promise<void> {
    const client = new Client({ host: '127.0.0.1', port: this.port, user: ADMIN, database: 'pgbouncer' });
    await client.connect();
    await client.query(command).finally(() => client.end());
  }
}

const ADMIN = 'pooler';

/** PgBouncer refuses to serve as root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? ['user = nobody'] : [];

function settings(databaseUrl: string, port: number, users: string): string {
  const server = new URL(databaseUrl);
  return [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    `admin_users = ${ADMIN}`,
    'pool_mode = transaction',
    `default_pool_size = ${SERVER_CONNECTIONS}`,
    'max_client_conn = 1000',
    ...UNPRIVILEGED,
    '',
  ].join('\n');
}

async function accepts(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
