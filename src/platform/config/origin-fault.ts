/** A web view may serve its pages under its own scheme, such as `capacitor://localhost`. */
const OWN_SCHEME = /^(?!https?:|file:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(:\d+)?$/;

/**
 * Returns why a browser can never send this text as its `Origin`, or why it must not be named; undefined
 * for an origin.
 */
export function originFault(origin: string): string | undefined {
  if (origin === '*') return 'has *, which would let in every page: name your own origins';
  if (origin === 'null' || origin.startsWith('file:'))
    return 'has null, which any page can send: serve the page from an origin of its own';
  if (OWN_SCHEME.test(origin)) return undefined;
  const sent = URL.canParse(origin) ? new URL(origin).origin : undefined;
  if (sent === undefined || sent === 'null')
    return `has ${JSON.stringify(origin)}, which is not an origin such as https://app.example`;
  return sent === origin ? undefined : `has ${origin}, which no browser sends: write ${sent}`;
}
