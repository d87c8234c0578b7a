import type { Queries } from './queries';
import { limitRole } from './time-limits';

/** The role of API and worker, where there is one. The owner of the tables only migrates. */
export const APP_ROLE = 'hongbao_app';

/**
 * Rights in the words of `grant`, for each table or `sequence <name>`. Records of the past are
 * never changed or deleted. A function runs with the rights of its caller.
 */
export type Grants = Readonly<Record<string, string>>;

const statements = (grants: Grants): string[] => [
  'revoke create on schema public from public',
  `grant usage on schema public to ${APP_ROLE}`,
  ...Object.entries(grants).flatMap(([object, privileges]) => [
    `revoke all on ${object} from ${APP_ROLE}`,
    `grant ${privileges} on ${object} to ${APP_ROLE}`,
  ]),
];

/** Grants after every migration, because each may create tables. The role may be missing. */
export async function grantToApp(db: Queries, grants: Grants): Promise<void> {
  if (await hasAppRole(db)) await db.query(statements(grants).join(';\n'));
}

/**
 * Does nothing where the role does not exist.
 * @returns a line for the operator when setting the limits was not allowed
 */
export async function limitApp(db: Queries): Promise<string | undefined> {
  const lacking = (await hasAppRole(db)) ? await limitRole(db, APP_ROLE) : [];
  if (lacking.length === 0) return undefined;
  return `Role ${APP_ROLE} has no ${lacking.join(', ')}, and this role may not set them. Programs behind a pooler need them.`;
}

async function hasAppRole(db: Queries): Promise<boolean> {
  return (await db.query<unknown[]>('select from pg_roles where rolname = $1', [APP_ROLE])).length > 0;
}

const CHANGES = ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'];

/**
 * Returns where the role may change more than `grants` allows, in whatever way: a grant, a
 * membership, ownership, a grant to `public`. Nothing where the role does not exist.
 */
export async function excessGrants(
  db: Queries,
  grants: Grants,
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
    [APP_ROLE, CHANGES],
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
      return `Role ${APP_ROLE} may ${privilege.toLowerCase()} ${subject}.`;
    });
  return { examined: rows.length, faults };
}

function isGranted(granted = '', column: string | null, privilege: string): boolean {
  const [, columns] = new RegExp(`${privilege.toLowerCase()} \\(([^)]*)\\)`).exec(granted) ?? [];
  const isWhole = granted.split(', ').includes(privilege.toLowerCase());
  return isWhole || (column !== null && (columns?.split(', ').includes(column) ?? false));
}
