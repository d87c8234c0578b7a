import type { EntityManager } from 'typeorm';

/** Rows to edit, by the name under which their columns are reported. */
export type Rows = Readonly<Record<string, readonly [table: string, where: string]>>;

const OTHER: Readonly<Record<string, (column: string) => string>> = {
  bigint: (column) => `coalesce(${column}, 0) + 777`,
  integer: (column) => `coalesce(${column}, 0) + 777`,
  smallint: (column) => `coalesce(${column}, 0) + 777`,
  'double precision': (column) => `coalesce(${column}, 0) + 777`,
  date: (column) => `coalesce(${column}, current_date) - 1`,
  json: () => `'{"x": 1}'`,
  numeric: (column) => `coalesce(${column}, 0) + 777`,
  text: (column) => `'x' || coalesce(${column}, '')`,
  'character varying': (column) => `'x' || coalesce(${column}, '')`,
  character: () => `'XXX'`,
  boolean: (column) => `not ${column}`,
  ARRAY: (column) => `coalesce(${column}, '{}') || 777`,
  bytea: (column) => `sha256(coalesce(${column}, ''))`,
  jsonb: (column) => `coalesce(${column}, '{}') || '{"x": 1}'`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) - interval '1 minute'`,
};

/**
 * Edits each column of these rows, one at a time; returns the columns whose edit `isSeen` misses.
 * The caller has to undo the transaction, in which constraints and triggers are gone.
 */
export async function unseenEdits(
  tx: EntityManager,
  rows: Rows,
  isSeen: () => Promise<boolean>,
): Promise<string[]> {
  for (const table of new Set(Object.values(rows).map(([name]) => name))) await dropRules(tx, table);
  const unseen: string[] = [];
  for (const [name, [table, where]] of Object.entries(rows))
    for (const { column, type } of await columnsOf(tx, table)) {
      await tx.query('savepoint before_edit');
      await tx.query(`alter table ${table} alter column ${column} drop identity if exists`);
      const [, edited] = await tx.query<[unknown, number]>(
        `update ${table} set ${column} = ${OTHER[type]!(column)} where ${where}`,
      );
      if (edited === 0) throw new Error(`There is no ${name}.`);
      if (!(await isSeen())) unseen.push(`${name}.${column}`);
      await tx.query('rollback to savepoint before_edit');
    }
  return unseen;
}

async function dropRules(tx: EntityManager, table: string): Promise<void> {
  const rules = await tx.query<{ name: string }[]>(
    `select conname as name from pg_constraint where conrelid = $1::regclass and contype <> 'n'`,
    [table],
  );
  for (const { name } of rules)
    await tx.query(`alter table ${table} drop constraint if exists ${name} cascade`);
  await tx.query(`alter table ${table} disable trigger user`);
}

const columnsOf = (tx: EntityManager, table: string): Promise<{ column: string; type: string }[]> =>
  tx.query(
    `select column_name as column, data_type as type from information_schema.columns
      where table_schema = current_schema() and table_name = $1 order by ordinal_position`,
    [table],
  );
