import type { DataSource, MigrationInterface } from 'typeorm';
import type { Grants } from './app-role';
import { type FunctionFile, functionFaults } from './stored-functions';

/** What one module expects of the database, besides the tables themselves: these are made by migrations. */
export interface SchemaPart {
  readonly grants: Grants;
  readonly functions?: readonly FunctionFile[];
}

/** What a program expects of the database. */
export interface Schema {
  /** All there have ever been, oldest first. */
  readonly migrations: readonly (new () => MigrationInterface)[];
  readonly grants: Grants;
  readonly functions: readonly FunctionFile[];
}

/** Injection token of the {@link Schema} that a program was built with. */
export const SCHEMA = Symbol('SCHEMA');

/** What the platform itself keeps. */
const PLATFORM: SchemaPart = {
  grants: { migrations: 'select', setting: 'select, insert', stored_function: 'select' },
};

export function composeSchema(migrations: Schema['migrations'], modules: readonly SchemaPart[]): Schema {
  const parts = [PLATFORM, ...modules];
  return {
    migrations,
    grants: Object.fromEntries(parts.flatMap(({ grants }) => Object.entries(grants))),
    functions: parts.flatMap(({ functions = [] }) => functions),
  };
}

/** How the database differs from what a program was built for; two empty lists mean that it does not. */
export interface SchemaDifference {
  /** Migrations of this program that the database has not seen, or files whose functions it holds differently. */
  readonly missing: string[];
  /** Migrations of the database that this program does not know: it is older than the database. */
  readonly unknown: string[];
}

export async function schemaDifference(
  dataSource: DataSource,
  { migrations, functions }: Schema,
): Promise<SchemaDifference> {
  const ours = migrations.map(({ name }) => name);
  const theirs = await appliedMigrations(dataSource);
  const missing = ours.filter((name) => !theirs.includes(name));
  const unknown = theirs.filter((name) => !ours.includes(name));
  if (missing.length > 0) return { missing, unknown };
  const faults = await functionFaults(dataSource, functions);
  return { missing: [...new Set(faults.map(({ file }) => file.name))], unknown };
}

/** @throws Error with one line when a newer program has migrated this database */
export function refuseNewer({ unknown }: SchemaDifference): void {
  if (unknown.length > 0)
    throw new Error(`The database is newer than this program: it has ${unknown.join(', ')}.`);
}

async function appliedMigrations(dataSource: DataSource): Promise<string[]> {
  const [row] = await dataSource.query<{ table: string | null }[]>(
    `select to_regclass('migrations')::text as "table"`,
  );
  if (row!.table === null) return [];
  const rows: { name: string }[] = await dataSource.query('select name from migrations');
  return rows.map((row) => row.name);
}
