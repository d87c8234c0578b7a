import * as oauth from 'oauth4webapi';
import type { SignInService } from '../../kit/settings';

/** The console as a client of the service. */
export interface Client extends SignInService {
  /** The service has to know this address. */
  readonly redirectUri: string;
}

const ATTEMPT = 'hongbao.sign-in';
const GRANT = 'hongbao.sign-in.grant';

/** This tab remembers a sign-in while its user is at the service. */
interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  /** The tab was opened to sign another one in, and closes when it has. */
  readonly isForOtherTab: boolean;
}

export interface Finished {
  readonly token: string;
  readonly isForOtherTab: boolean;
}

/** This tab renews its token and signs out with these. */
interface Grant {
  readonly refreshToken?: string;
  readonly idToken?: string;
}

/**
 * OpenID Connect, authorization code with PKCE.
 *
 * @param tab goes to the service. Another tab than this one shares its new token with this one.
 */
export async function beginSignIn(service: Client, tab: Window): Promise<void> {
  const { authorization_endpoint } = await discover(service);
  const attempt: Attempt = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    returnTo: location.pathname + location.search,
    isForOtherTab: tab !== window,
  };
  tab.sessionStorage.setItem(ATTEMPT, JSON.stringify(attempt));
  const { audience, resource, redirectUri } = service;
  leaveFor(
    authorization_endpoint!,
    {
      response_type: 'code',
      client_id: service.clientId,
      redirect_uri: redirectUri,
      scope: service.scope,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
      ...(audience !== undefined && { audience }),
      ...(resource !== undefined && { resource }),
    },
    tab,
  );
}

/**
 * The token of a visit that returns from the service; undefined for any other visit. An answer that this tab
 * did not ask for is ignored.
 *
 * @param goTo receives the address at which the sign-in began
 */
export async function finishSignIn(
  service: Client,
  goTo: (href: string) => void,
): Promise<Finished | undefined> {
  const visit = new URL(location.href);
  const attempt = recall<Attempt>(ATTEMPT);
  if (attempt === undefined || visit.searchParams.get('state') !== attempt.state) return undefined;
  sessionStorage.removeItem(ATTEMPT);
  goTo(attempt.returnTo);
  return { token: await exchange(service, attempt, visit), isForOtherTab: attempt.isForOtherTab };
}

async function exchange(service: Client, attempt: Attempt, visit: URL): Promise<string> {
  const server = await discover(service);
  const client = clientOf(service);
  const parameters = oauth.validateAuthResponse(server, client, visit, attempt.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    service.redirectUri,
    attempt.verifier,
    requestOptions(service),
  );
  const expected = { expectedNonce: attempt.nonce, requireIdToken: true };
  return keepGrant(await oauth.processAuthorizationCodeResponse(server, client, response, expected));
}

export const mayRenew = (): boolean => recall<Grant>(GRANT)?.refreshToken !== undefined;

/** A newer token of the same user; undefined where the service gave nothing to renew it with. */
export async function renew(service: SignInService): Promise<string | undefined> {
  const { refreshToken, idToken } = recall<Grant>(GRANT) ?? {};
  if (refreshToken === undefined) return undefined;
  const server = await discover(service);
  const client = clientOf(service);
  const options = requestOptions(service);
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options);
  const renewed = await oauth.processRefreshTokenResponse(server, client, response);
  return keepGrant(renewed, { refreshToken, idToken });
}

/** Ends the session at the service as well, if this tab was signed in there. */
export async function signOutAt(service: Client): Promise<void> {
  const { idToken } = recall<Grant>(GRANT) ?? {};
  sessionStorage.removeItem(GRANT);
  if (idToken === undefined) return;
  const { end_session_endpoint } = await discover(service);
  if (end_session_endpoint === undefined) return;
  leaveFor(
    end_session_endpoint,
    { client_id: service.clientId, id_token_hint: idToken, post_logout_redirect_uri: service.redirectUri },
    window,
  );
}

async function discover(service: SignInService): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(service.issuer);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecureIn(service)));
}

const clientOf = ({ clientId }: SignInService): oauth.Client => ({ client_id: clientId });

const requestOptions = (service: SignInService) => ({
  ...insecureIn(service),
  ...(service.resource !== undefined && { additionalParameters: { resource: service.resource } }),
});

/** A service on this machine, the only kind that the settings admit without TLS. */
const insecureIn = ({ issuer }: SignInService) => ({
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
});

function keepGrant(tokens: oauth.TokenEndpointResponse, before: Grant = {}): string {
  const grant: Grant = {
    refreshToken: tokens.refresh_token ?? before.refreshToken,
    idToken: tokens.id_token ?? before.idToken,
  };
  sessionStorage.setItem(GRANT, JSON.stringify(grant));
  return tokens.access_token;
}

const recall = <T>(name: string): T | undefined =>
  (JSON.parse(sessionStorage.getItem(name) ?? 'null') as T | null) ?? undefined;

function leaveFor(endpoint: string, query: Record<string, string>, tab: Window): void {
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  tab.location.assign(url);
}
