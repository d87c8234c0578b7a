const IN_FRAGMENT = /^#token=([\w.-]+)$/;

/** What the page and the app around it say to each other by `postMessage`. */
const WANTED = 'hongbao.token-wanted';
const GIVEN = 'hongbao.token';

/**
 * The token of the person at the page. It comes in the fragment of the address, which no server and no log ever sees, or from the
 * app that embeds the page. It is kept for this tab alone, so that a reload asks nobody.
 */
export class Session {
  private readonly listeners = new Set<(token: string | undefined) => void>();
  private current: string | undefined;

  /**
   * @param keptAs under which name this tab keeps it: a player is not an operator
   * @param embedders origins of apps that may give a token; the page itself may as well, as
   *   apps that show it in a web view do
   */
  constructor(
    private readonly keptAs: string,
    private readonly embedders: readonly string[] = [],
  ) {
    this.current = takeFromFragment() ?? recall(keptAs);
    remember(keptAs, this.current);
    addEventListener('message', (event: MessageEvent<unknown>) => this.hear(event));
    addEventListener('hashchange', () => this.use(takeFromFragment() ?? this.current));
  }

  get token(): string | undefined {
    return this.current;
  }

  /** Calls with every new token, and with nothing when there is none any more. */
  onChange(listener: (token: string | undefined) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  use(token: string | undefined): void {
    if (token === this.current) return;
    this.current = token;
    remember(this.keptAs, token);
    for (const listener of this.listeners) listener(token);
  }

  /** The token is missing or not accepted any more: the app around may give another one. The question holds no secret. */
  requestToken(): void {
    this.use(undefined);
    parent.postMessage({ type: WANTED }, '*');
  }

  private hear({ source, origin, data }: MessageEvent<unknown>): void {
    const isKnown = origin === location.origin || this.embedders.includes(origin);
    if (source !== parent || !isKnown) return;
    const { type, token } = (data ?? {}) as { type?: unknown; token?: unknown };
    if (type === GIVEN && typeof token === 'string') this.use(token);
  }
}

/** Out of the address at once: it would stay in the history, and go along when the address is shared. */
function takeFromFragment(): string | undefined {
  const token = IN_FRAGMENT.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

/** A browser may forbid a page in a frame to keep anything; then a reload asks again. */
function recall(name: string): string | undefined {
  try {
    return sessionStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(name: string, token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, token);
  } catch {
    // As in recall.
  }
}
