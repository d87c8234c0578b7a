import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DataSource, EntityManager } from 'typeorm';
import type { Queries } from './queries';

/** A file of SQL that creates functions, beside the repository that calls them. */
export interface FunctionFile {
  /** `<directory>/<file>`, as it is recorded in the database. */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, in hex. */
  readonly checksum: string;
}

export interface FunctionFault {
  readonly file: FunctionFile;
  readonly message: string;
}

interface StoredFunction {
  file: string;
  signature: string;
  checksum: string;
  is_missing: boolean;
  is_changed: boolean;
}

/** @throws when there is no such file */
export function functionFile(directory: string, file: string): FunctionFile {
  const text = readFileSync(join(directory, file), 'utf8');
  const checksum = createHash('sha256').update(text).digest('hex');
  return { name: `${basename(directory)}/${file}`, text, checksum };
}

/**
 * How the functions of the database differ from those that this program was built with: made from another text, or
 * changed by hand since. Functions of other files are ignored.
 */
export async function functionFaults(db: Queries, files: readonly FunctionFile[]): Promise<FunctionFault[]> {
  const stored = await db.query<StoredFunction[]>(
    `select file, signature, checksum, found is null as is_missing, found <> definition as is_changed
       from stored_function
      cross join lateral pg_get_functiondef(to_regprocedure(signature)) as found
      order by signature`,
  );
  return files.flatMap((file) => {
    const ours = stored.filter((row) => row.file === file.name);
    return messagesOf(file, ours).map((message) => ({ file, message }));
  });
}

function messagesOf({ name, checksum }: FunctionFile, stored: readonly StoredFunction[]): string[] {
  if (stored.length === 0 || stored.some((row) => row.checksum !== checksum))
    return [`The functions of ${name} are not those of this program.`];
  return stored.flatMap(({ signature, is_missing, is_changed }) => {
    if (is_missing) return [`Function ${signature} is missing.`];
    return is_changed ? [`Function ${signature} is not as ${name} made it.`] : [];
  });
}

/** Creates the functions anew where they differ, each file in one transaction, and returns the names of these files. */
export async function replaceFunctions(
  dataSource: DataSource,
  files: readonly FunctionFile[],
): Promise<string[]> {
  const faults = await functionFaults(dataSource, files);
  const outdated = new Set(faults.map(({ file }) => file));
  for (const file of outdated) await dataSource.transaction((tx) => replace(tx, file));
  return Array.from(outdated, ({ name }) => name);
}

/** What the file created before is dropped first: `create or replace` cannot change arguments or the type of the result. */
async function replace(tx: EntityManager, { name, text, checksum }: FunctionFile): Promise<void> {
  const former = await tx.query<{ signature: string }[]>(
    'select signature from stored_function where file = $1',
    [name],
  );
  for (const { signature } of former) await tx.query(`drop function if exists ${signature}`);
  await tx.query('delete from stored_function where file = $1', [name]);
  await tx.query(text);
  await recordCreated(tx, name, checksum);
}

/** Records the functions that this transaction has created, as Postgres words them. */
async function recordCreated(tx: EntityManager, file: string, checksum: string): Promise<void> {
  await tx.query(
    `insert into stored_function (signature, file, checksum, definition)
     select oid::regprocedure, $1, $2, pg_get_functiondef(oid)
       from pg_proc
      where pronamespace = current_schema()::regnamespace and xmin = pg_current_xact_id()::xid
         on conflict (signature) do update
        set file = excluded.file, checksum = excluded.checksum, definition = excluded.definition`,
    [file, checksum],
  );
}
