const IN_FRAGMENT = /^#token=([\w.-]+)$/;

/** Messages between the page and the app around it, by `postMessage`. */
const WANTED = 'hongbao.token-wanted';
const GIVEN = 'hongbao.token';

/**
 * The token of the page's user. It comes in the fragment of the address, which no server and no log
 * ever sees, or from the app that embeds the page. It is kept for this tab alone, so that a reload
 * needs no new one.
 */
export class Session {
  private readonly listeners = new Set<(token: string | undefined) => void>();
  private current: string | undefined;

  /**
   * @param keptAs the name under which this tab keeps it: a player is not an operator
   * @param embedders origins of apps that may give a token; the page itself may as well, as apps
   * that show it in a web view do
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

  /** Calls the listener with every new token, and with undefined when there is none any more. */
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

  /**
   * Drops a token that is missing or no longer accepted, and asks the app around for another one.
   * The message holds no secret.
   */
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

/**
 * Removes the token from the address at once: it would stay in the history, and be shared with the
 * address.
 */
function takeFromFragment(): string | undefined {
  const token = IN_FRAGMENT.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

/** A browser may forbid storage to a page in a frame. Then a reload asks again. */
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
    // Storage may be forbidden, as in `recall`.
  }
}
