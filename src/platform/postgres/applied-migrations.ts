import type { QueryRunner } from 'typeorm';
import { type Migration, timestampOf } from './migration';
import type { Queries } from './queries';

export interface AppliedMigration {
  readonly name: string;
  /** Null when it serves only programs that know it; see {@link Migration}. */
  readonly serves: string | null;
}

/** Returns the migrations in the order in which they ran. A table of another project lacks `serves`. */
export async function appliedMigrations(db: Queries): Promise<AppliedMigration[]> {
  const [row] = await db.query<{ table: string | null }[]>(
    `select to_regclass('migrations')::text as "table"`,
  );
  if (row!.table === null) return [];
  return db.query(`select name, to_jsonb(migrations) ->> 'serves' as serves from migrations order by id`);
}

export async function createMigrationsTable(db: Queries): Promise<void> {
  await db.query(
    `create table if not exists migrations (
       id serial primary key, "timestamp" bigint not null, name character varying not null, serves text
     )`,
  );
}

export async function recordApplied(
  runner: QueryRunner,
  name: string,
  serves: Migration['serves'],
): Promise<void> {
  await runner.query('insert into migrations (timestamp, name, serves) values ($1, $2, $3)', [
    timestampOf(name),
    name,
    serves,
  ]);
}
