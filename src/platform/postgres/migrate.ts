import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { APP_ROLE, grantToApp, limitApp } from './app-role';
import { createMigrationsTable, recordApplied } from './applied-migrations';
import { dataSourceOptions, poolOf } from './data-source';
import { type MigrationClass, timestampOf } from './migration';
import type { Queries } from './queries';
import { refuseUnknown, type Schema, schemaDifference } from './schema';
import { withSessionLock } from './session-lock';
import { type Patience, PATIENCE, ShortLocks } from './short-locks';
import { createFunctions, keepCalled, lackingFiles } from './stored-functions';

/** Any free number. Hosts that start at the same time migrate in turn. */
const MIGRATION_LOCK = 7_264_001;
const TURN_ASKED_EVERY_MS = 100;

export interface MigrateOptions {
  /** The role of the programs, which is granted what they need. */
  readonly role?: string;
  readonly patience?: Patience;
  /** Receives a line for each notable event. */
  readonly report?: (line: string) => void;
}

/**
 * Brings the schema up to date: migrations, functions, grants. It may run many times at once, and alongside
 * programs that the migrations serve. A newer database that serves this program gets only the functions that
 * it calls.
 *
 * @returns the migrations that it ran, and the files whose functions it created
 * @throws Error with one line when the database no longer serves this program, and when another
 *   session keeps a lock for too long
 */
export async function runMigrations(
  databaseUrl: string,
  schema: Schema,
  { role = APP_ROLE, patience = PATIENCE, report = () => undefined }: MigrateOptions = {},
): Promise<string[]> {
  const pool = await poolOf(dataSourceOptions({ databaseUrl, poolMax: 2, patient: true }));
  const dataSource = await pool.initialize();
  const turn = (): Promise<void> => pause(TURN_ASKED_EVERY_MS);
  try {
    const locks = new ShortLocks(dataSource, patience, report);
    return await withSessionLock(dataSource, MIGRATION_LOCK, turn, () =>
      new SchemaMigration(dataSource, schema, { role, locks, report }).run(),
    );
  } finally {
    await dataSource.destroy();
  }
}

/** Another encoding would fail at the first name that it cannot store, when it is too late to change it. */
async function requireUtf8(db: Queries): Promise<void> {
  const [row] = await db.query<{ encoding: string }[]>(
    `select current_setting('server_encoding') as encoding`,
  );
  if (row!.encoding !== 'UTF8')
    throw new Error(`The database has the encoding ${row!.encoding}: create it with encoding UTF8.`);
}

class SchemaMigration {
  /** The timestamp of its newest migration. */
  private readonly program: number;
  private readonly role: string;
  private readonly locks: ShortLocks;
  private readonly report: (line: string) => void;

  constructor(
    private readonly dataSource: DataSource,
    private readonly schema: Schema,
    { role, locks, report }: { role: string; locks: ShortLocks; report: (line: string) => void },
  ) {
    [this.role, this.locks, this.report] = [role, locks, report];
    this.program = timestampOf(schema.migrations.at(-1)!.name);
  }

  async run(): Promise<string[]> {
    const { migrations, functions, grants } = this.schema;
    const difference = await schemaDifference(this.dataSource, this.schema);
    refuseUnknown(difference, this.schema);
    const { missing, newer } = difference;
    const pending = migrations.filter(({ name }) => missing.includes(name));
    if (pending.length === migrations.length) await requireUtf8(this.dataSource);
    if (newer.length > 0) return this.join(newer, pending);
    if (pending.length > 0) await createMigrationsTable(this.dataSource);
    for (const migration of pending) await this.migrate(migration);
    const files = await this.createFunctions();
    await this.locks.inTransaction('Dropping functions', (tx) => keepCalled(tx, functions, this.program));
    await this.locks.inTransaction('Granting', (tx) => grantToApp(tx, grants, this.role));
    const refused = await this.locks.inTransaction('Limiting', (tx) => limitApp(tx, this.role));
    if (refused !== undefined) this.report(refused);
    return [...pending.map(({ name }) => name), ...files];
  }

  /** Rights stay those of the newer release, whose programs may be running. */
  private async join(newer: readonly string[], pending: readonly MigrationClass[]): Promise<string[]> {
    if (pending.length > 0)
      throw new Error(
        `The database is of another line of releases: it has ${newer.join(', ')} without ${pending[0]!.name}.`,
      );
    this.report(`The database is newer than this program, and serves it: it has ${newer.join(', ')}.`);
    return this.createFunctions();
  }

  private async migrate(migration: MigrationClass): Promise<void> {
    const { name } = migration;
    const instance = new migration();
    const { transaction = true, serves = name } = instance;
    const run = async (runner: QueryRunner): Promise<void> => {
      await instance.up(runner);
      await recordApplied(runner, name, instance.serves);
    };
    if (!transaction) await this.locks.inBackground(name, run);
    else if (serves === name) await this.locks.inTransaction(name, (tx) => run(tx.queryRunner!));
    else await this.locks.inPassing(name, (tx) => run(tx.queryRunner!));
  }

  private async createFunctions(): Promise<string[]> {
    const lacking = await lackingFiles(this.dataSource, this.schema.functions);
    for (const file of lacking)
      await this.locks.inTransaction(file.name, (tx) => createFunctions(tx, file, this.program));
    return lacking.map(({ name }) => name);
  }
}
