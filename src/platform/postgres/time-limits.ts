import { Client, type ClientBase } from 'pg';
import { postgresFault } from './connection-advice';
import { NAMING } from './impatient-client';
import type { Queries } from './queries';

/** In milliseconds, for every connection that a request or a job waits for. */
export const TIME_LIMITS = {
  statement_timeout: 8_000,
  /**
   * A longer wait is for a forgotten session or a table that is being rebuilt. The statement fails early
   * enough to continue without that row.
   */
  lock_timeout: 1_500,
  /** Our transactions never wait this long; a vanished process would hold its locks for hours. */
  idle_in_transaction_session_timeout: 10_000,
};

export type TimeLimit = keyof typeof TIME_LIMITS;

const NAMES = Object.keys(TIME_LIMITS) as TimeLimit[];

/** Each setting → its value as Postgres writes it. */
const SETTINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(TIME_LIMITS).map(([name, ms]) => [name, `${ms}ms`])),
  ...NAMING,
};

const ANSWER_WITHIN_MS = 2_000;

/**
 * Returns the `wanted` settings that connections have by default, by their role or database, and `naming` if
 * it cannot be requested. A pooler refuses, drops or forgets requested settings (decision 41).
 * @throws Error with one line if Postgres cannot be reached, or if settings are missing and there is a pooler
 *   in between
 */
export async function givenSettings(databaseUrl: string, wanted: readonly string[]): Promise<string[]> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  client.on('error', () => undefined);
  await client.connect().catch(async (error: unknown) => {
    throw await postgresFault(error, databaseUrl);
  });
  try {
    const { rows } = await client.query<{ role: string; given: string[] }>(
      `select quote_ident(current_user) as role,
              array(select name from pg_settings
                     where name = any($1) and setting <> '0'
                        or name = 'search_path' and current_schema() = $2
                        or name = 'quote_all_identifiers' and setting = $3) as given`,
      [NAMES, NAMING.search_path, NAMING.quote_all_identifiers],
    );
    const { role, given } = rows[0]!;
    if (!(await isPooled(client))) return given;
    const missing = wanted.filter((name) => name in SETTINGS && !given.includes(name));
    if (missing.length > 0) throw new Error(adviceOn(role, missing));
    return [...given, 'naming'];
  } finally {
    await client.end();
  }
}

/** A pooler reports its own process number at the start. */
export async function isPooled(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid !== (client as unknown as { processID: number }).processID;
}

function adviceOn(role: string, missing: readonly string[]): string {
  const statements = missing.map((name) => statementFor(role, name)).join(' ');
  return (
    `DATABASE_URL leads through a pooler, and role ${role} has no ${missing.join(', ')}. ` +
    `Run \`npm run migrate\`, or as the owner of the database: ${statements} Then reconnect the pooler.`
  );
}

const statementFor = (role: string, name: string, where = ''): string =>
  `alter role ${role} ${where}set ${name} = '${SETTINGS[name]}';`;

/**
 * Leaves the limits that an operator has chosen for the role.
 * @returns the limits that it still lacks, because the migrating role may not change this role
 */
export async function limitRole(tx: Queries, role: string): Promise<TimeLimit[]> {
  const lacking = await lackingLimits(tx, role);
  if (lacking.length === 0) return [];
  const [row] = await tx.query<{ here: string }[]>('select quote_ident(current_database()) as here');
  const statements = lacking.map((name) => statementFor(role, name, `in database ${row!.here} `));
  await tx.query(
    `do $$ begin ${statements.join(' ')} exception when insufficient_privilege then null; end $$`,
  );
  return lackingLimits(tx, role);
}

async function lackingLimits(tx: Queries, role: string): Promise<TimeLimit[]> {
  const rows = await tx.query<{ name: TimeLimit }[]>(
    `select name
       from unnest($2::text[]) with ordinality as wanted (name, place)
      where not exists (select from pg_db_role_setting cross join unnest(setconfig) as setting
                         where setrole in (0, $1::regrole)
                           and setdatabase in (0, (select oid from pg_database where datname = current_database()))
                           and starts_with(setting, name || '='))
      order by place`,
    [role, NAMES],
  );
  return rows.map(({ name }) => name);
}
