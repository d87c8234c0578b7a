import type { EntityManager } from 'typeorm';
import type { People } from '../../platform/postgres';
import { asText, fromText, mayName, type PeopleTable, peopleTables, renamedValue } from './people-columns';
import { subjectsOf } from '../../../libs/people-in-json';

/** A row that has the id: its place, and the columns as texts. */
interface Row {
  readonly part: string;
  readonly place: string;
  readonly before: readonly (string | null)[];
  readonly after: readonly (string | null)[];
}

/** Tables whose rows seals prove. */
const SEALED: ReadonlySet<string> = new Set(['activity', 'claim', 'dead_letter']);

/**
 * Writes a pseudonym in the place of an id, in the caller's transaction and as the owner of the tables.
 *
 * Rows that nobody may change have triggers against that. They are disabled as late as possible, and only where
 * such a row has the id, because all who write to the table wait until the transaction ends.
 */
export class Renaming {
  private constructor(
    private readonly tx: EntityManager,
    private readonly tables: readonly PeopleTable[],
    private readonly id: string,
    private readonly pseudonym: string,
  ) {}

  static async begin(tx: EntityManager, people: People, id: string, pseudonym: string): Promise<Renaming> {
    return new Renaming(tx, await peopleTables(tx, people), id, pseudonym);
  }

  /** All that seals prove. */
  async renameSealed(): Promise<void> {
    for (const table of this.tables.filter((one) => SEALED.has(one.table))) await this.rename(table);
  }

  /** Everything else. */
  async renameRest(): Promise<void> {
    const rest = this.tables.filter((one) => !SEALED.has(one.table));
    const guarded: [PeopleTable, Row[]][] = [];
    for (const table of rest)
      if ((await this.guardsOf(table)).length === 0) await this.rename(table);
      else guarded.push([table, await this.find(table)]);
    for (const [table, rows] of guarded) await this.rename(table, rows);
  }

  private async rename(table: PeopleTable, found?: readonly Row[]): Promise<void> {
    const rows = found ?? (await this.find(table));
    if (rows.length === 0) return;
    const guards = await this.guardsOf(table);
    for (const guard of guards) await this.tx.query(`alter table ${table.table} disable trigger ${guard}`);
    for (const part of new Set(rows.map((row) => row.part)))
      await this.write(
        table,
        part,
        rows.filter((row) => row.part === part),
      );
    for (const guard of guards) await this.tx.query(`alter table ${table.table} enable trigger ${guard}`);
  }

  /** Locks the rows: they stay where they are until the transaction ends. */
  private async find({ table, columns }: PeopleTable): Promise<Row[]> {
    const values = columns.map(asText).join(', ');
    const condition = columns.map(mayName).join(' or ');
    const rows = await this.tx.query<{ part: string; place: string; before: (string | null)[] }[]>(
      `with asked as (select $1::text, $2::text, $3::text[])
       select tableoid::regclass::text as part, ctid::text as place, array[${values}] as before
         from ${table} where ${condition} for update`,
      [this.id, JSON.stringify(this.id).slice(1), subjectsOf(this.id)],
    );
    const pseudonymOf = (id: string) => (id === this.id ? this.pseudonym : undefined);
    return rows
      .map((row) => ({
        ...row,
        after: row.before.map((text, i) => text && renamedValue(columns[i]!, text, pseudonymOf)),
      }))
      .filter(({ before, after }) => after.some((text, i) => text !== before[i]));
  }

  private async write({ columns }: PeopleTable, part: string, rows: readonly Row[]): Promise<void> {
    const changes = columns.map(
      (column, i) => `${column.name} = coalesce(${fromText(column, `renamed.v${i}`)}, named.${column.name})`,
    );
    const names = columns.map((_, i) => `v${i}`);
    const arrays = columns.map((_, i) => `$${i + 2}::text[]`);
    await this.tx.query(
      `update ${part} as named set ${changes.join(', ')}
         from unnest($1::text[], ${arrays.join(', ')}) as renamed (place, ${names.join(', ')})
        where named.ctid = renamed.place::tid`,
      [rows.map(({ place }) => place), ...columns.map((_, i) => rows.map(({ after }) => after[i]))],
    );
  }

  /** The triggers that keep rows as they are. */
  private async guardsOf({ table }: PeopleTable): Promise<string[]> {
    const rows = await this.tx.query<{ name: string }[]>(
      `select tgname as name from pg_trigger
        where tgrelid = $1::regclass and tgfoid = 'refuse_change()'::regprocedure and tgtype & 16 <> 0
        order by 1`,
      [table],
    );
    return rows.map(({ name }) => name);
  }
}
