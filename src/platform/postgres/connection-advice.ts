import { connectionFault, type Endpoint, endpointOf } from '../../../libs/connection-faults';

const PORT = 5432;

const ESCAPES = 'a URL writes @ as %40, : as %3A, / as %2F, # as %23, ? as %3F and % as %25';

/** What to do about an answer of Postgres to a new connection, by its SQLSTATE. */
const ADVICE: Readonly<Record<string, (role: string, database: string, message: string) => string>> = {
  '28P01': (role) => `it refuses the password of role ${role} (${ESCAPES}).`,
  '28000': (role, database, message) =>
    /no encryption/.test(message)
      ? `it lets role ${role} in over TLS only: add sslmode=verify-full to the URL.`
      : `it does not let role ${role} into the database ${database} (${message}): create the role, or allow it in pg_hba.conf.`,
  '3D000': (_, database) => `it has no database ${database}: create it, or correct the name in the URL.`,
  '42501': (role, database) =>
    `role ${role} may not connect to ${database}: grant connect on database ${database} to ${role}.`,
  '53300': () =>
    'it has no connection left: lower DATABASE_POOL_MAX, put a pooler in between, or raise max_connections.',
  '57P03': () => 'it is still starting up or shutting down: wait.',
};

/**
 * Makes one error for a connection that could not be opened: where, why, and what to change. Neither the
 * driver nor the server names the setting.
 */
export async function postgresFault(cause: unknown, databaseUrl: string): Promise<Error> {
  const url = parse(databaseUrl);
  const role = decodeURIComponent(url.username);
  const database = decodeURIComponent(url.pathname.slice(1));
  const at = endpointIn(url);
  const said = await reason(cause, at, role, database);
  return new Error(
    `Postgres (${at.host}:${at.port}, database ${database}, role ${role}) cannot be used: ${said}`,
    { cause },
  );
}

async function reason(cause: unknown, at: Endpoint, role: string, database: string): Promise<string> {
  const { code, message } = Object(cause) as { code?: string; message?: string };
  const advice = ADVICE[code ?? ''];
  if (advice) return advice(role, database, message ?? '');
  if (/does not support SSL/.test(message ?? ''))
    return 'it does not speak TLS: set sslmode=disable in the URL.';
  if (/password must be a string/.test(message ?? ''))
    return 'it asks for a password, and the URL has none: add it, or set DATABASE_PASSWORD.';
  return (await connectionFault(cause, at)) ?? message ?? String(cause);
}

/** The URL of a socket has no host. The driver accepts it, but `URL` does not. */
function parse(databaseUrl: string): URL {
  return new URL(databaseUrl.replace('@/', '@localhost/'));
}

function endpointIn(url: URL): Endpoint {
  const { searchParams } = url;
  const mode = searchParams.get('sslmode') ?? 'disable';
  const { host, port, usesTls } = endpointOf(url, PORT, mode !== 'disable');
  return { host: searchParams.get('host') ?? host, port: Number(searchParams.get('port') ?? port), usesTls };
}
