import type { EntityManager } from 'typeorm';
import { invariant } from '../../../libs/invariant';
import type { People } from '../../platform/postgres';
import {
  asText,
  fromText,
  mayName,
  type PeopleColumn,
  type PeopleTable,
  peopleTables,
  renamedValue,
  withNewDigests,
} from './people-columns';
import { subjectsOf } from '../../../libs/people-in-json';

/** A row that has the id: its place, and the columns as texts. */
interface Row {
  readonly part: string;
  readonly place: string;
  readonly before: readonly (string | null)[];
  readonly after: readonly (string | null)[];
}

/** Tables whose rows seals prove, apart from dead letters: those have a trigger, so they are written last. */
const SEALED: ReadonlySet<string> = new Set(['activity', 'claim']);

interface Found extends PeopleTable {
  readonly rows: readonly Row[];
  /** The triggers that keep rows as they are. */
  readonly guards: readonly Guard[];
}

interface Guard {
  readonly name: string;
  /** It refuses only what is final, such as a dead letter that was declared void. */
  readonly hasCondition: boolean;
}

/** What such a trigger raises. */
const REFUSED = '42501';

/**
 * Replaces an id with a pseudonym, in the caller's transaction and as the owner of the tables.
 *
 * Triggers protect rows that nobody may change. From the moment a trigger is disabled until the transaction ends,
 * everyone else who writes to its table waits. So everything is found before any of it is written, tables with
 * triggers come last, and a trigger that lets this change pass is not disabled.
 */
export class Renaming {
  private constructor(
    private readonly tx: EntityManager,
    private readonly found: readonly Found[],
  ) {}

  /** Locks the rows: they stay where they are until the transaction ends. The caller may not change them before. */
  static async find(tx: EntityManager, people: People, id: string, pseudonym: string): Promise<Renaming> {
    const found: Found[] = [];
    for (const table of await peopleTables(tx, people)) {
      const rows = await rowsOf(tx, table, id, pseudonym);
      if (rows.length > 0) found.push({ ...table, rows, guards: await guardsOf(tx, table) });
    }
    return new Renaming(tx, found);
  }

  /** Everything without triggers that no seal proves. */
  async renameFree(): Promise<void> {
    for (const one of this.found)
      if (!SEALED.has(one.table) && one.guards.length === 0) await this.write(one);
  }

  /** Everything that seals prove, apart from dead letters. */
  async renameSealed(): Promise<void> {
    for (const one of this.found) if (SEALED.has(one.table)) await this.rename(one);
  }

  /** Everything else. */
  async renameGuarded(): Promise<void> {
    for (const one of this.found) if (!SEALED.has(one.table) && one.guards.length > 0) await this.rename(one);
  }

  private async rename(found: Found): Promise<void> {
    const { table, guards } = found;
    if (guards.every(({ hasCondition }) => hasCondition) && (await this.isLet(found))) return;
    for (const { name } of guards) await this.tx.query(`alter table ${table} disable trigger ${name}`);
    await this.write(found);
    for (const { name } of guards) await this.tx.query(`alter table ${table} enable trigger ${name}`);
  }

  /** Whether the triggers have let it be written. */
  private async isLet(found: Found): Promise<boolean> {
    await this.tx.query('savepoint renaming');
    try {
      await this.write(found);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== REFUSED) throw error;
      await this.tx.query('rollback to savepoint renaming');
      return false;
    }
  }

  private async write({ columns, rows }: Found): Promise<void> {
    for (const part of new Set(rows.map((row) => row.part)))
      await this.writePart(
        columns,
        part,
        rows.filter((row) => row.part === part),
      );
  }

  private async writePart(
    columns: readonly PeopleColumn[],
    part: string,
    rows: readonly Row[],
  ): Promise<void> {
    const changes = columns.map(
      (column, i) => `${column.name} = coalesce(${fromText(column, `renamed.v${i}`)}, named.${column.name})`,
    );
    const names = columns.map((_, i) => `v${i}`);
    const arrays = columns.map((_, i) => `$${i + 2}::text[]`);
    const [, count] = await this.tx.query<[unknown[], number]>(
      `update ${part} as named set ${changes.join(', ')}
         from unnest($1::text[], ${arrays.join(', ')}) as renamed (place, ${names.join(', ')})
        where named.ctid = renamed.place::tid`,
      [rows.map(({ place }) => place), ...columns.map((_, i) => rows.map(({ after }) => after[i]))],
    );
    invariant(
      count === rows.length,
      () => `${rows.length} rows of ${part} were locked, and ${count} renamed.`,
    );
  }
}

async function rowsOf(
  tx: EntityManager,
  { table, columns }: PeopleTable,
  id: string,
  pseudonym: string,
): Promise<Row[]> {
  const values = columns.map(asText).join(', ');
  const condition = columns.map(mayName).join(' or ');
  const rows = await tx.query<{ part: string; place: string; before: (string | null)[] }[]>(
    `with asked as (select $1::text, $2::text, $3::text[], $4::text)
     select tableoid::regclass::text as part, ctid::text as place, array[${values}] as before
       from ${table} where ${condition} for update`,
    [id, endInJson(id), subjectsOf(id), endInJson(endInJson(id)).slice(0, -1)],
  );
  const pseudonymOf = (other: string) => (other === id ? pseudonym : undefined);
  return rows
    .map((row) => ({
      ...row,
      after: row.before.map((text, i) => text && renamedValue(columns[i]!, text, pseudonymOf)),
    }))
    .filter(({ before, after }) => after.some((text, i) => text !== before[i]))
    .map((row) => ({ ...row, after: withNewDigests(columns, row.after) }));
}

const endInJson = (text: string): string => JSON.stringify(text).slice(1);

const guardsOf = (tx: EntityManager, { table }: PeopleTable): Promise<Guard[]> =>
  tx.query(
    `select tgname as name, tgqual is not null as "hasCondition" from pg_trigger
      where tgrelid = $1::regclass and tgfoid = 'refuse_change()'::regprocedure and tgtype & 16 <> 0
      order by 1`,
    [table],
  );
