import { randomBytes } from 'node:crypto';
import { InvariantViolation } from '../../../libs/invariant';
import type { People, Queries } from '../../platform/postgres';
import { type Pseudonyms, renamedInJson, renamedSubject } from '../../../libs/people-in-json';

const FORM = /^(\w+)(?: \((noun:id|json|digest)\))?(?: where (.+))?$/s;

type Kind = 'id' | 'subject' | 'ids' | 'json' | 'digest';

/** A column that holds ids of people. */
export interface PeopleColumn {
  readonly name: string;
  readonly type: string;
  readonly kind: Kind;
  /** The condition of the rows in which it does so. */
  readonly where: string;
}

export interface PeopleTable {
  readonly table: string;
  readonly columns: readonly PeopleColumn[];
}

/** The declared columns, with their types in this database, in the order of the tables' names. */
export async function peopleTables(db: Queries, people: People): Promise<PeopleTable[]> {
  const rows = await db.query<{ table: string; column: string; type: string }[]>(
    `select relname as table, attname as column, format_type(atttypid, null) as type
       from pg_class join pg_attribute on attrelid = pg_class.oid
      where relname = any($1) and relnamespace = current_schema()::regnamespace and attnum > 0 and not attisdropped`,
    [Object.keys(people)],
  );
  const types = new Map(rows.map(({ table, column, type }) => [`${table}.${column}`, type]));
  return Object.keys(people)
    .sort()
    .map((table) => ({ table, columns: people[table]!.map((text) => columnOf(table, text, types)) }));
}

function columnOf(table: string, text: string, types: ReadonlyMap<string, string>): PeopleColumn {
  const [, name, form, where = 'true'] = FORM.exec(text) ?? [];
  const type = types.get(`${table}.${name}`);
  if (name === undefined || type === undefined)
    throw new InvariantViolation(
      `There is no column ${table}.${text}, which is declared to hold ids of people.`,
    );
  return { name, type, kind: kindOf(type, form), where };
}

function kindOf(type: string, form: string | undefined): Kind {
  if (form === 'json' || type.startsWith('json')) return 'json';
  if (form === 'noun:id') return 'subject';
  if (form === 'digest') return 'digest';
  return type.endsWith('[]') ? 'ids' : 'id';
}

/** The value as text, as {@link renamedValue} takes it; null where the row names nobody in this column. */
export function asText({ name, kind, where }: PeopleColumn): string {
  const text = textOf(name, kind);
  return where === 'true' ? text : `case when ${where} then ${text} end`;
}

function textOf(name: string, kind: Kind): string {
  if (kind === 'digest') return `encode(${name}, 'hex')`;
  return kind === 'ids' ? `to_json(${name})::text` : `${name}::text`;
}

/** The value of that text. */
export function fromText({ type, kind }: PeopleColumn, text: string): string {
  if (kind === 'digest') return `decode(${text}, 'hex')`;
  return kind === 'ids'
    ? `case when ${text} is not null then array(select jsonb_array_elements_text(${text}::jsonb)) end`
    : `${text}::${type}`;
}

/** Returns the same text if nothing in it is to be renamed. A digest names nobody: {@link withNewDigests}. */
export function renamedValue({ kind }: PeopleColumn, text: string, pseudonymOf: Pseudonyms): string {
  if (kind === 'digest') return text;
  if (kind === 'id') return pseudonymOf(text) ?? text;
  if (kind === 'subject') return renamedSubject(text, pseudonymOf);
  const value: unknown = JSON.parse(text);
  const renamed =
    kind === 'ids'
      ? (value as string[]).map((id) => pseudonymOf(id) ?? id)
      : renamedInJson(value, pseudonymOf);
  const isSame = kind === 'ids' ? JSON.stringify(renamed) === JSON.stringify(value) : renamed === value;
  return isSame ? text : JSON.stringify(renamed);
}

/** The values of a row in which someone was renamed, with random digests: ids could be tried until one fits. */
export const withNewDigests = (
  columns: readonly PeopleColumn[],
  values: readonly (string | null)[],
): (string | null)[] =>
  values.map((text, i) =>
    columns[i]!.kind === 'digest' && text !== null ? randomBytes(text.length / 2).toString('hex') : text,
  );

/** Whether a column of a row may have the id $1, whose JSON ends like $2, in a text within JSON like $4, and whose subjects are $3. */
export function mayName({ name, kind, where }: PeopleColumn): string {
  const condition = {
    id: `${name} = $1`,
    ids: `$1 = any(${name})`,
    subject: `${name} = any($3)`,
    json: `(position($2 in ${name}::text) > 0 or position($4 in ${name}::text) > 0)`,
    digest: 'false',
  }[kind];
  return where === 'true' ? condition : `(${condition} and ${where})`;
}
