import type { Queries } from './queries';
import { limitRole } from './time-limits';

/** The role of API and worker unless DATABASE_ROLE names another. The owner of the tables only migrates. */
export const APP_ROLE = 'hongbao_app';

/**
 * Rights in the words of `grant`, for each table or `sequence <name>`. Records of the past are
 * never changed or deleted. A function runs with the rights of its caller.
 */
export type Grants = Readonly<Record<string, string>>;

const statements = (grants: Grants, role: string): string[] => [
  'revoke create on schema public from public',
  `grant usage on schema public to ${role}`,
  ...Object.entries(grants).flatMap(([object, privileges]) => [
    `revoke all on ${object} from ${role}`,
    `grant ${privileges} on ${object} to ${role}`,
  ]),
];

/**
 * Grants after every migration, because each may create tables.
 * @throws Error when a role of another name does not exist; the usual one may be missing
 */
export async function grantToApp(db: Queries, grants: Grants, name: string): Promise<void> {
  const role = await identifierOf(db, name);
  if (role !== undefined) await db.query(statements(grants, role).join(';\n'));
  else if (name !== APP_ROLE)
    throw new Error(`There is no role ${name}, which DATABASE_ROLE names: create it first.`);
}

/**
 * Does nothing where the role does not exist.
 * @returns a line for the operator when setting the limits was not allowed
 */
export async function limitApp(db: Queries, name: string): Promise<string | undefined> {
  const role = await identifierOf(db, name);
  const lacking = role === undefined ? [] : await limitRole(db, role);
  if (lacking.length === 0) return undefined;
  return `Role ${name} has no ${lacking.join(', ')}, and this role may not set them. Programs behind a pooler need them.`;
}

/** The name as written in statements; undefined if there is no such role. */
async function identifierOf(db: Queries, name: string): Promise<string | undefined> {
  const sql = 'select quote_ident(rolname) as role from pg_roles where rolname = $1';
  return (await db.query<{ role: string }[]>(sql, [name]))[0]?.role;
}

const CHANGES = ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'];

/**
 * Returns where the role may change more than `grants` allows, for whatever reason: a grant, a membership,
 * ownership, a grant to `public`. Empty if the role does not exist.
 */
export async function excessGrants(
  db: Queries,
  grants: Grants,
  role: string,
): Promise<{ examined: number; faults: string[] }> {
  const rows = await db.query<{ table: string; column: string | null; privilege: string; held: boolean }[]>(
    `select relname as table, null as column, privilege, has_table_privilege(rolname, pg_class.oid, privilege) as held
       from pg_roles cross join pg_class cross join unnest($2::text[]) as privilege
      where rolname = $1 and relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v')
      union all
     select relname, attname, privilege, has_column_privilege(rolname, attrelid, attnum, privilege)
       from pg_roles cross join pg_class join pg_attribute on attrelid = pg_class.oid
      cross join unnest(array['INSERT', 'UPDATE']) as privilege
      where rolname = $1 and relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v')
        and attnum > 0 and not attisdropped
      union all
     select nspname, null, 'CREATE', has_schema_privilege(rolname, pg_namespace.oid, 'CREATE')
       from pg_roles cross join pg_namespace where rolname = $1 and nspname = current_schema()
      order by 1, 2 nulls first, 3`,
    [role, CHANGES],
  );
  const excess = rows.filter(
    ({ table, column, privilege, held }) => held && !isGranted(grants[table], column, privilege),
  );
  const whole = new Set(
    excess.filter(({ column }) => column === null).map((row) => `${row.table} ${row.privilege}`),
  );
  const faults = excess
    .filter(({ table, column, privilege }) => column === null || !whole.has(`${table} ${privilege}`))
    .map(({ table, column, privilege }) => {
      const subject = column === null ? table : `${table}.${column}`;
      return `Role ${role} may ${privilege.toLowerCase()} ${subject}.`;
    });
  return { examined: rows.length, faults };
}

function isGranted(granted = '', column: string | null, privilege: string): boolean {
  const [, columns] = new RegExp(`${privilege.toLowerCase()} \\(([^)]*)\\)`).exec(granted) ?? [];
  const isWhole = granted.split(', ').includes(privilege.toLowerCase());
  return isWhole || (column !== null && (columns?.split(', ').includes(column) ?? false));
}
