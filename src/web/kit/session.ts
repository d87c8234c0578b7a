import type { ActivityKeys } from '../../../libs/client';
import { keep, kept } from './kept';
import { userOf } from './person';

/** A token, a ticket and a share code, in any order; `password` says that the activity opens by one. */
const IN_FRAGMENT = /^#(?:(?:(?:token|ticket|c)=[\w.-]+|password)(?:&|$))+$/;

/** The end of the sentence that a link stood in, which people copy with it. */
const WRITTEN_AFTER = /[.&]*(?:[^\w#&=.-].*)?$/;

/** The name under which a tab keeps the session of a player, for all pages of players. */
export const PLAYER = 'hongbao.player';

/** Likewise that of the console. */
export const STAFF = 'hongbao.console';

/** The window of the console receives this when a token is no longer accepted. */
export const SIGNED_OUT = 'console.signed-out';

/** Messages between the page and the app around it, by `postMessage`. */
const WANTED = 'hongbao.token-wanted';
const GIVEN = 'hongbao.token';
const TICKET_WANTED = 'hongbao.ticket-wanted';
const TICKET_GIVEN = 'hongbao.ticket';

type Note = 'ticket' | 'code' | 'password';

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
  /** The link says that its activity opens by a password. */
  asksForPassword = false;

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
    return this.recall(this.nameOf('ticket'));
  }

  /** Keys to the activity of this page, which belong to nobody: every user who signs in here uses them. */
  get keys(): ActivityKeys {
    return { shareCode: this.recall(this.nameOf('code')), password: this.recall(this.nameOf('password')) };
  }

  /** Keeps a password that has opened the activity. */
  usePassword(password: string): void {
    this.remember(this.nameOf('password'), password);
    this.announce();
  }

  /** Calls the listener when a token or a key changes. An undefined token means that the session has ended. */
  onChange(listener: (token: string | undefined) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  use(token: string | undefined): void {
    if (token === this.current) return;
    this.current = token;
    keep(this.keptAs, token, 'sessionStorage');
    this.announce();
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

  private announce(): void {
    for (const listener of this.listeners) listener(this.current);
  }

  /** Tickets and keys are for the activity of this page. */
  private nameOf(note: Note): string {
    return note + location.pathname;
  }

  private takeFromLink(): void {
    const { token, ticket, shareCode, asksForPassword } = cutFromFragment();
    if (!this.sources.links) return;
    this.asksForPassword ||= asksForPassword;
    if (shareCode !== undefined && shareCode !== this.keys.shareCode) {
      this.remember(this.nameOf('code'), shareCode);
      this.announce();
    }
    if (token !== undefined && (this.current === undefined || isSameUser(token, this.current)))
      this.use(token);
    if (ticket !== undefined && this.current !== undefined && isSameUser(ticket, this.current))
      this.remember(this.nameOf('ticket'), ticket);
  }

  private hear({ source, origin, data }: MessageEvent<unknown>): void {
    const isKnown = origin === location.origin || this.sources.embedders?.includes(origin);
    if (source !== parent || !isKnown) return;
    const { type, token, ticket } = (data ?? {}) as Record<string, unknown>;
    if (type === TICKET_GIVEN && typeof ticket === 'string') this.remember(this.nameOf('ticket'), ticket);
    if (type === GIVEN && typeof token === 'string') this.use(token);
  }
}

interface Found {
  readonly token?: string;
  readonly ticket?: string;
  readonly shareCode?: string;
  readonly asksForPassword: boolean;
}

export function foundInFragment(): Found | undefined {
  const fragment = location.hash.replace(WRITTEN_AFTER, '');
  if (!IN_FRAGMENT.test(fragment)) return undefined;
  const found = new URLSearchParams(fragment.slice(1));
  const { token, ticket, c: shareCode, password } = Object.fromEntries(found);
  return { token, ticket, shareCode, asksForPassword: password !== undefined };
}

/** A token or a key in the address would stay in the history, and be shared. */
function cutFromFragment(): Found {
  const found = foundInFragment();
  if (found) history.replaceState(history.state, '', location.pathname + location.search);
  return found ?? { asksForPassword: false };
}

function isSameUser(token: string, other: string): boolean {
  const user = userOf(token);
  return user !== undefined && user === userOf(other);
}
