const ESCAPES: Readonly<Record<string, string>> = {
  '@': '%40',
  ':': '%3A',
  '/': '%2F',
  '#': '%23',
  '?': '%3F',
  '%': '%25',
};

/** Those of libpq that the driver knows. `allow` would begin without TLS and send the password so. */
const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * Returns why a URL cannot be meant as it stands, so that a driver does not read half of a password as
 * a host; undefined for one that can.
 */
export function urlFault(value: unknown, schemes: readonly string[]): string | undefined {
  const wanted = `must be a URL that starts with ${schemes.join(':// or ')}://`;
  const [, scheme = '', rest = ''] = (typeof value === 'string' && /^([^:]*):\/\/(.*)$/s.exec(value)) || [];
  if (!schemes.includes(scheme)) return wanted;
  const userinfo = rest.slice(0, Math.max(rest.lastIndexOf('@'), 0));
  const signs = unescapedSigns(userinfo);
  if (signs.length > 0)
    return `has ${signs.map((sign) => `"${sign}"`).join(' and ')} in its password: write ${signs.map((sign) => ESCAPES[sign]).join(' and ')}`;
  const [authority = ''] = rest.slice(rest.lastIndexOf('@') + 1).split(/[/?#]/);
  if (authority.includes(','))
    return 'names several servers, and the driver connects to one: name the address that follows the primary';
  return isReadable(value as string, scheme) ? modeFault(value as string) : wanted;
}

/** A host with a port and a path before an `@` far behind is no password. */
function unescapedSigns(userinfo: string): string[] {
  const [first = ''] = userinfo.split('/');
  if (userinfo !== first && /^[^:@]*(:\d+)?$/.test(first)) return [];
  const password = userinfo.slice(userinfo.indexOf(':') + 1);
  return Object.keys(ESCAPES).filter((sign) =>
    sign === '%' ? /%(?![0-9a-f]{2})/i.test(password) : sign !== ':' && password.includes(sign),
  );
}

/** The driver of Postgres takes a URL without a host, for a socket that `?host=` names. */
function isReadable(url: string, scheme: string): boolean {
  return URL.canParse(scheme.startsWith('postgres') ? url.replace('@/', '@localhost/') : url);
}

function modeFault(url: string): string | undefined {
  const mode = /[?&]sslmode=([^&#]*)/.exec(url)?.[1];
  if (mode === undefined || SSL_MODES.includes(mode)) return undefined;
  return `has sslmode=${mode}: use verify-full, or one of ${SSL_MODES.join(', ')}`;
}
