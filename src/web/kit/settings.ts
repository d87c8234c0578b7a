import type { RoleNaming } from '../../../libs/roles';

/** OpenID Connect signs staff in. */
export interface SignInService {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Some services sign tokens for this API only on request, each in its own way. */
  readonly audience?: string;
  readonly resource?: string;
}

/** The meta element `hongbao` of the page's HTML, which its server or its host writes. */
export interface PageSettings {
  readonly api: string;
  /** The path below which a proxy serves the pages. */
  readonly basePath: string;
  /** Origins of apps that may give the page a token. */
  readonly embedders: readonly string[];
  /** Every visitor plays as a guest, in development. */
  readonly guests: boolean;
  readonly roles: RoleNaming;
  readonly signIn?: SignInService;
  /** The time zone of the installation. */
  readonly zone?: string;
  /** One person may move no more than this alone, by currency. */
  readonly approvalAbove?: Readonly<Record<string, string>>;
  /** The address where the wall of a demo can break parts. */
  readonly faults?: string;
}

export function readSettings(): PageSettings {
  const content = document.querySelector('meta[name="hongbao"]')?.getAttribute('content') ?? '{}';
  const given = JSON.parse(content) as Partial<PageSettings>;
  const { basePath = '' } = given;
  const defaults = { embedders: [], guests: false, roles: { claim: 'role' } };
  return { api: location.origin + basePath, basePath, ...defaults, ...given };
}
