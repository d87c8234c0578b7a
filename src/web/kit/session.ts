import { userOf } from './person';

const IN_FRAGMENT = /^#token=([\w.-]+)$/;

/** Messages between the page and the app around it, by `postMessage`. */
const WANTED = 'hongbao.token-wanted';
const GIVEN = 'hongbao.token';

interface Sources {
  /** Origins of apps that may give a token, besides the page's own. */
  readonly embedders?: readonly string[];
  /** The fragment of the address, which no server and no log ever sees. */
  readonly links?: boolean;
}

/**
 * The token of the page's user, kept for this tab alone. Anybody can make a link, so its token
 * signs in where nobody is, or brings a newer token of the same user.
 */
export class Session {
  private readonly listeners = new Set<(token: string | undefined) => void>();
  private current: string | undefined;

  /**
   * @param keptAs the name under which this tab keeps it: a player is not an operator
   */
  constructor(
    private readonly keptAs: string,
    private readonly sources: Sources = {},
  ) {
    this.current = recall(keptAs);
    this.takeFromLink();
    addEventListener('message', (event: MessageEvent<unknown>) => this.hear(event));
    addEventListener('hashchange', () => this.takeFromLink());
  }

  get token(): string | undefined {
    return this.current;
  }

  /** Undefined means that there is none any more. */
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

  /** Drops a token and asks the app around for another one. The message holds no secret. */
  requestToken(): void {
    this.use(undefined);
    parent.postMessage({ type: WANTED }, '*');
  }

  private takeFromLink(): void {
    const token = cutFromFragment();
    if (token === undefined || !this.sources.links) return;
    if (this.current === undefined || isSameUser(token, this.current)) this.use(token);
  }

  private hear({ source, origin, data }: MessageEvent<unknown>): void {
    const isKnown = origin === location.origin || this.sources.embedders?.includes(origin);
    if (source !== parent || !isKnown) return;
    const { type, token } = (data ?? {}) as { type?: unknown; token?: unknown };
    if (type === GIVEN && typeof token === 'string') this.use(token);
  }
}

/** A token in the address would stay in the history, and be shared. */
function cutFromFragment(): string | undefined {
  const token = IN_FRAGMENT.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

function isSameUser(token: string, other: string): boolean {
  const user = userOf(token);
  return user !== undefined && user === userOf(other);
}

/** A browser may forbid storage in a frame: a reload asks again. */
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
