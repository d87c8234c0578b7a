import { keep, kept } from './kept';
import { userOf } from './person';

const IN_FRAGMENT = /^#(?:token=([\w.-]+))?(?:&?ticket=([\w.-]+))?$/;

/** Messages between the page and the app around it, by `postMessage`. */
const WANTED = 'hongbao.token-wanted';
const GIVEN = 'hongbao.token';
const TICKET_WANTED = 'hongbao.ticket-wanted';
const TICKET_GIVEN = 'hongbao.ticket';

interface Sources {
  /** Origins of apps that may give a token, besides the page's own. */
  readonly embedders?: readonly string[];
  /** The fragment of the address, which no server and no log ever sees. */
  readonly links?: boolean;
}

/**
 * The token of the page's user and their ticket for its activity, kept only for this tab. Anyone can make a
 * link, so its token signs a user in only if nobody is signed in, or replaces an older token of the same
 * user.
 */
export class Session {
  private readonly listeners = new Set<(token: string | undefined) => void>();
  private readonly notes = new Map<string, string | undefined>();
  private current: string | undefined;

  /**
   * @param keptAs the name under which this tab keeps it: a player is not an operator
   */
  constructor(
    private readonly keptAs: string,
    private readonly sources: Sources = {},
  ) {
    this.current = kept(keptAs, 'sessionStorage');
    this.takeFromLink();
    addEventListener('message', (event: MessageEvent<unknown>) => this.hear(event));
    addEventListener('hashchange', () => this.takeFromLink());
  }

  get token(): string | undefined {
    return this.current;
  }

  /** Also where the browser forbids storage. */
  recall(name: string): string | undefined {
    return this.notes.has(name) ? this.notes.get(name) : kept(`${this.keptAs}.${name}`, 'sessionStorage');
  }

  remember(name: string, text: string | undefined): void {
    this.notes.set(name, text);
    keep(`${this.keptAs}.${name}`, text, 'sessionStorage');
  }

  get user(): string | undefined {
    return this.current && userOf(this.current);
  }

  get ticket(): string | undefined {
    return this.recall(this.ticketName);
  }

  /** Undefined means that there is no session any more. */
  onChange(listener: (token: string | undefined) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  use(token: string | undefined): void {
    if (token === this.current) return;
    this.current = token;
    keep(this.keptAs, token, 'sessionStorage');
    for (const listener of this.listeners) listener(token);
  }

  /** Drops a token and asks the embedding app for another. The message does not contain a secret. */
  requestToken(): void {
    this.use(undefined);
    parent.postMessage({ type: WANTED }, '*');
  }

  /** Asks the embedding app for a ticket, if the activity requires one. */
  requestTicket(): void {
    parent.postMessage({ type: TICKET_WANTED }, '*');
  }

  /** A ticket is for the activity of this page. */
  private get ticketName(): string {
    return `ticket${location.pathname}`;
  }

  private takeFromLink(): void {
    const { token, ticket } = cutFromFragment();
    if (!this.sources.links) return;
    if (token !== undefined && (this.current === undefined || isSameUser(token, this.current)))
      this.use(token);
    if (ticket !== undefined && this.current !== undefined && isSameUser(ticket, this.current))
      this.remember(this.ticketName, ticket);
  }

  private hear({ source, origin, data }: MessageEvent<unknown>): void {
    const isKnown = origin === location.origin || this.sources.embedders?.includes(origin);
    if (source !== parent || !isKnown) return;
    const { type, token, ticket } = (data ?? {}) as Record<string, unknown>;
    if (type === TICKET_GIVEN && typeof ticket === 'string') this.remember(this.ticketName, ticket);
    if (type === GIVEN && typeof token === 'string') this.use(token);
  }
}

export const tokenInFragment = (): string | undefined => IN_FRAGMENT.exec(location.hash)?.[1];

/** A token in the address would stay in the history, and be shared. */
function cutFromFragment(): { readonly token?: string; readonly ticket?: string } {
  const [, token, ticket] = IN_FRAGMENT.exec(location.hash) ?? [];
  if (token !== undefined || ticket !== undefined)
    history.replaceState(history.state, '', location.pathname + location.search);
  return { token, ticket };
}

function isSameUser(token: string, other: string): boolean {
  const user = userOf(token);
  return user !== undefined && user === userOf(other);
}
