/** Who signs staff in: OpenID Connect. */
export interface SignInService {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
}

/** What a page is given by its server, or by those who put it on a server of their own: the meta element `hongbao` of its HTML. */
export interface PageSettings {
  /** Where the API is. */
  readonly api: string;
  /** Origins of apps that may embed the page and give it a token. */
  readonly embedders: readonly string[];
  /** Whether anybody may play as a guest; in development only. */
  readonly guests: boolean;
  /** Of the console, where one is configured. */
  readonly signIn?: SignInService;
  /** Of the wall, in a demo: where things can be broken. */
  readonly faults?: string;
}

export function readSettings(): PageSettings {
  const content = document.querySelector('meta[name="hongbao"]')?.getAttribute('content') ?? '{}';
  const given = JSON.parse(content) as Partial<PageSettings>;
  return { api: location.origin, embedders: [], guests: false, ...given };
}
