import type { Grants } from './app-role';
import { appliedMigrations } from './applied-migrations';
import type { MigrationClass } from './migration';
import type { People } from './people';
import type { Queries } from './queries';
import { type FunctionFile, functionFaults } from './stored-functions';

/** The requirements of one module, apart from its tables. */
export interface SchemaPart {
  readonly grants: Grants;
  readonly functions?: readonly FunctionFile[];
  readonly people?: People;
  /**
   * Selects what is under way for the person $1, who cannot be forgotten before it ends: `what`, and `id`, which
   * may be null.
   */
  readonly underWay?: string;
  /** Selects when something about the person $1 moved last, as `at`, which may be null: records are kept from then on. */
  readonly lastMoved?: string;
}

export interface Schema {
  /** Oldest first. */
  readonly migrations: readonly MigrationClass[];
  readonly grants: Grants;
  readonly functions: readonly FunctionFile[];
  readonly people: People;
  readonly underWay: readonly string[];
  readonly lastMoved: readonly string[];
}

export const SCHEMA = Symbol('SCHEMA');

const PLATFORM: SchemaPart = {
  grants: { migrations: 'select', setting: 'select, insert', stored_function: 'select' },
};

export function composeSchema(migrations: Schema['migrations'], modules: readonly SchemaPart[]): Schema {
  const parts = [PLATFORM, ...modules];
  return {
    migrations,
    grants: Object.fromEntries(parts.flatMap(({ grants }) => Object.entries(grants))),
    functions: parts.flatMap(({ functions = [] }) => functions),
    people: Object.fromEntries(parts.flatMap(({ people = {} }) => Object.entries(people))),
    underWay: parts.flatMap(({ underWay = [] }) => underWay),
    lastMoved: parts.flatMap(({ lastMoved = [] }) => lastMoved),
  };
}

/** The program may run when nothing is missing or unknown. */
export interface SchemaDifference {
  /** Migrations that have not run, or files whose functions do not exist. */
  readonly missing: string[];
  /** Migrations of the database that this program does not know, but that serve it. */
  readonly newer: string[];
  /** Migrations that do not serve this program, which is too old. */
  readonly unknown: string[];
}

/** A migration serves every program that knows the migration that it names. */
export async function schemaDifference(
  db: Queries,
  { migrations, functions }: Schema,
): Promise<SchemaDifference> {
  const ours = migrations.map(({ name }) => name);
  const applied = await appliedMigrations(db);
  const theirs = applied.filter(({ name }) => !ours.includes(name));
  const serving = theirs.filter(({ serves }) => serves !== null && ours.includes(serves));
  const difference = {
    missing: ours.filter((name) => !applied.some((row) => row.name === name)),
    newer: serving.map(({ name }) => name),
    unknown: theirs.filter((row) => !serving.includes(row)).map(({ name }) => name),
  };
  if (difference.missing.length > 0) return difference;
  const faults = await functionFaults(db, functions);
  return { ...difference, missing: [...new Set(faults.map(({ file }) => file.name))] };
}

/**
 * @throws Error with one line if a newer program, or a program of another line, has migrated this database
 */
export function refuseUnknown({ missing, unknown }: SchemaDifference, { migrations }: Schema): void {
  if (unknown.length === 0) return;
  const baseline = migrations[0]!.name;
  if (missing[0] === baseline)
    throw new Error(
      `No release has made this database: it has ${unknown[0]} without ${baseline}, with which every schema begins. ` +
        'Use an empty one: for `npm start`, delete both directories of data that it names.',
    );
  throw new Error(`The database is newer than this program: it has ${unknown.join(', ')}.`);
}
