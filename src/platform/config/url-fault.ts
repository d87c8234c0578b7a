const ESCAPES: Readonly<Record<string, string>> = {
  '@': '%40',
  ':': '%3A',
  '/': '%2F',
  '#': '%23',
  '?': '%3F',
  '%': '%25',
};

/** The modes of libpq that the driver knows. `allow` would try without TLS first, and send the password in the clear. */
const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * Returns why a URL cannot be meant literally, so that a driver does not read half of a password as a host;
 * undefined if it can.
 */
export function urlFault(value: unknown, schemes: readonly string[]): string | undefined {
  const wanted = `must be a URL that starts with ${schemes.join(':// or ')}://`;
  const [, scheme = '', rest = ''] = (typeof value === 'string' && /^([^:]*):\/\/(.*)$/s.exec(value)) || [];
  if (!schemes.includes(scheme)) return wanted + beginningOf(String(value));
  const userinfo = rest.slice(0, Math.max(rest.lastIndexOf('@'), 0));
  const signs = unescapedSigns(userinfo);
  if (signs.length > 0)
    return `has ${signs.map((sign) => `"${sign}"`).join(' and ')} in its password: write ${signs.map((sign) => ESCAPES[sign]).join(' and ')}`;
  const [authority = ''] = rest.slice(rest.lastIndexOf('@') + 1).split(/[/?#]/);
  if (authority.includes(','))
    return 'names several servers, and the driver connects to one: name the address that follows the primary';
  const isPostgres = scheme.startsWith('postgres');
  const url = parsed(value as string, isPostgres);
  if (!url) return wanted;
  return isPostgres ? (postgresFault(url) ?? modeFault(value as string)) : redisFault(url);
}

/** A host with a port and a path before a distant `@` is not a password. */
function unescapedSigns(userinfo: string): string[] {
  const [first = ''] = userinfo.split('/');
  if (userinfo !== first && /^[^:@]*(:\d+)?$/.test(first)) return [];
  const password = userinfo.slice(userinfo.indexOf(':') + 1);
  return Object.keys(ESCAPES).filter((sign) =>
    sign === '%' ? /%(?![0-9a-f]{2})/i.test(password) : sign !== ':' && password.includes(sign),
  );
}

/** The driver of Postgres takes a URL without a host, for a socket that `?host=` names. */
const parsed = (url: string, isPostgres: boolean): URL | null =>
  URL.parse(isPostgres ? url.replace('@/', '@localhost/') : url);

/** Describes how a text that is not such a URL begins, as far as that cannot be secret. */
function beginningOf(text: string): string {
  if (/^["'`]/.test(text)) return ', and is in quotation marks: leave them out';
  if (/^\s/.test(text)) return ', and begins with a space: leave it out';
  const [beginning] =
    /^((psql|redis-cli|valkey-cli)(?=\s)|[a-z][a-z\d+.-]{0,20}(:[a-z]{1,20})?:\/\/)/.exec(text) ?? [];
  return beginning === undefined ? '' : `, and begins with ${beginning}`;
}

/** The driver would fall back to the name of the system's user, which a container does not have. */
function postgresFault({ username, pathname, searchParams }: URL): string | undefined {
  if (username === '' && !searchParams.has('user')) return `names no user: ${POSTGRES_FORM}`;
  return pathname.length < 2 ? `names no database: ${POSTGRES_FORM}` : undefined;
}

const POSTGRES_FORM = 'write postgres://USER@HOST:PORT/DATABASE';

function redisFault({ pathname }: URL): string | undefined {
  return /^\/?\d*$/.test(pathname)
    ? undefined
    : 'must end with the number of a database, such as /0, or with none';
}

function modeFault(url: string): string | undefined {
  const mode = /[?&]sslmode=([^&#]*)/.exec(url)?.[1];
  if (mode === undefined || SSL_MODES.includes(mode)) return undefined;
  return `has sslmode=${mode}: use verify-full, or one of ${SSL_MODES.join(', ')}`;
}
