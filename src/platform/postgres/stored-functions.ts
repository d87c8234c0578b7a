import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { EntityManager } from 'typeorm';
import type { Queries } from './queries';

/**
 * An SQL file that creates functions, next to the repository that calls them (decision 18). Their names end
 * in `_$version`, the first digits of the checksum: functions of several releases exist side by side.
 */
export interface FunctionFile {
  /** `<directory>/<file>`, for people. */
  readonly name: string;
  readonly version: string;
  /** The SQL, with the version filled in. */
  readonly text: string;
  /** SHA-256 of the file, in hex. */
  readonly checksum: string;
}

export interface FunctionFault {
  readonly file: FunctionFile;
  readonly message: string;
}

interface StoredFunction {
  signature: string;
  checksum: string;
  is_missing: boolean;
  is_changed: boolean;
}

const VERSION_LENGTH = 8;

/** @throws when there is no such file */
export function functionFile(directory: string, file: string): FunctionFile {
  return versioned(`${basename(directory)}/${file}`, readFileSync(join(directory, file), 'utf8'));
}

export function versioned(name: string, source: string): FunctionFile {
  const checksum = createHash('sha256').update(source).digest('hex');
  const version = checksum.slice(0, VERSION_LENGTH);
  return { name, version, text: source.replaceAll('$version', version), checksum };
}

/** Returns functions of this program that do not exist yet, or were changed by hand since. */
export async function functionFaults(db: Queries, files: readonly FunctionFile[]): Promise<FunctionFault[]> {
  const stored = await db.query<StoredFunction[]>(
    `select signature, checksum, found is null as is_missing, found <> definition as is_changed
       from stored_function
      cross join lateral pg_get_functiondef(to_regprocedure(signature)) as found
      where checksum = any($1)
      order by signature`,
    [files.map(({ checksum }) => checksum)],
  );
  return files.flatMap((file) => {
    const ours = stored.filter(({ checksum }) => checksum === file.checksum);
    return messagesOf(file, ours).map((message) => ({ file, message }));
  });
}

function messagesOf({ name }: FunctionFile, stored: readonly StoredFunction[]): string[] {
  if (stored.length === 0) return [`The functions of ${name} are not those of this program.`];
  return stored.flatMap(({ signature, is_missing, is_changed }) => {
    if (is_missing) return [`Function ${signature} is missing.`];
    return is_changed ? [`Function ${signature} is not as ${name} made it.`] : [];
  });
}

/** Returns files whose functions are missing or changed. */
export async function lackingFiles(db: Queries, files: readonly FunctionFile[]): Promise<FunctionFile[]> {
  const faults = await functionFaults(db, files);
  return [...new Set(faults.map(({ file }) => file))];
}

/**
 * @param program the timestamp of the newest migration that the calling program knows
 * @throws if a function could replace a function that another release calls
 */
export async function createFunctions(tx: EntityManager, file: FunctionFile, program: number): Promise<void> {
  await tx.query(file.text);
  for (const { signature } of await recordCreated(tx, file, program))
    if (!signature.includes(`_${file.version}(`))
      throw new Error(`${file.name} creates ${signature}, whose name does not end in _$version.`);
}

/** Names are in Postgres's own spelling. */
async function recordCreated(
  tx: EntityManager,
  { name, checksum }: FunctionFile,
  program: number,
): Promise<{ signature: string }[]> {
  return tx.query(
    `insert into stored_function (signature, file, checksum, definition, program)
     select oid::regprocedure, $1, $2, pg_get_functiondef(oid), $3::bigint
       from pg_proc
      where pronamespace = current_schema()::regnamespace and xmin = pg_current_xact_id()::xid
         on conflict (signature) do update
        set file = excluded.file, definition = excluded.definition
     returning signature`,
    [name, checksum, program],
  );
}

/**
 * Drops functions whose programs are all older than the oldest program that is served.
 * @param program the timestamp of the newest migration that this program knows
 */
export async function keepCalled(
  tx: EntityManager,
  files: readonly FunctionFile[],
  program: number,
): Promise<void> {
  await tx.query('update stored_function set program = $1 where checksum = any($2) and program < $1', [
    program,
    files.map(({ checksum }) => checksum),
  ]);
  const dropped = await tx.query<{ signature: string }[]>(
    `with uncalled as (
       delete from stored_function
        where program < (select max(served.timestamp)
                           from migrations
                           join migrations served on served.name = coalesce(migrations.serves, migrations.name))
       returning signature
     )
     select signature from uncalled`,
  );
  for (const { signature } of dropped) await tx.query(`drop function if exists ${signature}`);
}
