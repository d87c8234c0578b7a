import type { EntityManager, QueryRunner } from 'typeorm';

/** The database role of API and worker, where there is one; the owner of the tables only migrates. */
export const APP_ROLE = 'hongbao_app';

const GRANTED: Record<string, string> = {
  migrations: 'select',
  setting: 'select, insert',
  activity:
    'select, insert, update (status, closed_at, total_minor, packet_count, ending, ending_at, tidied_at, forgotten_at)',
  packet: 'select, insert',
  top_up: 'select, insert',
  claim: 'select, insert',
  unsettled_claim: 'select, insert, delete, update (attempts, last_error)',
  account: 'select, insert, update (balance_minor, status)',
  transfer: 'select, insert',
  dead_letter: 'select, insert, update (status, reason, last_error, resolution, attempts, updated_at)',
  webhook: 'select, insert, delete, update (deleted_at, secret)',
  undelivered_message:
    'select, insert, delete, update (status, attempts, last_error, offered_at, updated_at)',
  idempotency_key: 'select, insert',
  audit_log: 'select, insert',
  seal: 'select, insert',
  carried: 'select, insert, update (net_minor)',
};

const NUMBERED = ['activity_id_seq', 'idempotency_key_id_seq'];

/**
 * What the two programs need and no more: no change of the schema; no word of the ledger, of the audit log, of packets
 * or of claims is ever changed or deleted, and of everything else only what moves.
 */
const GRANTS = [
  'revoke create on schema public from public',
  `grant usage on schema public to ${APP_ROLE}`,
  ...Object.entries(GRANTED).flatMap(([table, privileges]) => [
    `revoke all on ${table} from ${APP_ROLE}`,
    `grant ${privileges} on ${table} to ${APP_ROLE}`,
  ]),
  ...NUMBERED.map((sequence) => `grant usage on sequence ${sequence} to ${APP_ROLE}`),
];

/** Run after every migration, because each may bring tables. Does nothing where nobody has created the role. */
export async function grantToApp(runner: QueryRunner): Promise<void> {
  const roles = (await runner.query('select from pg_roles where rolname = $1', [APP_ROLE])) as unknown[];
  if (roles.length === 0) return;
  await runner.query(GRANTS.join(';\n'));
}

const CHANGES = ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'];

/**
 * Where the role may change more than {@link GRANTED} says, in whatever way: a grant, a membership, ownership, a grant to
 * everybody. Nothing is examined where nobody has created the role.
 */
export async function excessGrants(
  db: Pick<EntityManager, 'query'>,
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
    ({ table, column, privilege, held }) => held && !isGranted(table, column, privilege),
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

function isGranted(table: string, column: string | null, privilege: string): boolean {
  const granted = GRANTED[table] ?? '';
  const [, columns] = new RegExp(`${privilege.toLowerCase()} \\(([^)]*)\\)`).exec(granted) ?? [];
  const isWhole = granted.split(', ').includes(privilege.toLowerCase());
  return isWhole || (column !== null && (columns?.split(', ').includes(column) ?? false));
}
