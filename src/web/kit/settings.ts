/** The service that signs staff in by OpenID Connect. */
export interface SignInService {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
}

/**
 * Settings that a page reads from the meta element `hongbao` of its HTML. Its server writes them,
 * or the people who put it on a server of their own.
 */
export interface PageSettings {
  /** The address of the API. */
  readonly api: string;
  /** Origins of apps that may embed the page and give it a token. */
  readonly embedders: readonly string[];
  /** Lets every visitor play as a guest; in development only. */
  readonly guests: boolean;
  /** The sign-in service of the console, where one is configured. */
  readonly signIn?: SignInService;
  /** The address where the wall of a demo can break parts. */
  readonly faults?: string;
}

export function readSettings(): PageSettings {
  const content = document.querySelector('meta[name="hongbao"]')?.getAttribute('content') ?? '{}';
  const given = JSON.parse(content) as Partial<PageSettings>;
  return { api: location.origin, embedders: [], guests: false, ...given };
}
