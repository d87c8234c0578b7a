import type { SignInService } from '../kit/settings';
import { go } from './address';

const KEPT_AS = 'hongbao.sign-in';
const RANDOM_BYTES = 32;

/** This tab remembers a sign-in while its user is at the service. */
interface Attempt {
  readonly state: string;
  readonly verifier: string;
  readonly returnTo: string;
}

interface Endpoints {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

/** The service has to know this address. */
const redirectUri = (): string => `${location.origin}/console`;

/** OpenID Connect, authorization code with PKCE. */
export async function beginSignIn({ issuer, clientId, scope, ...asked }: SignInService): Promise<void> {
  const { authorization_endpoint } = await endpointsOf(issuer);
  const attempt = {
    state: randomText(),
    verifier: randomText(),
    returnTo: location.pathname + location.search,
  };
  sessionStorage.setItem(KEPT_AS, JSON.stringify(attempt));
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri(),
    scope,
    state: attempt.state,
    code_challenge: await challengeOf(attempt.verifier),
    code_challenge_method: 'S256',
    ...asked,
  });
  location.assign(`${authorization_endpoint}?${query.toString()}`);
}

/**
 * Undefined for a visit that does not come back from the service. An answer that this tab did not
 * ask for is ignored.
 */
export async function finishSignIn({
  issuer,
  clientId,
  resource,
}: SignInService): Promise<string | undefined> {
  const answer = new URLSearchParams(location.search);
  const attempt = JSON.parse(sessionStorage.getItem(KEPT_AS) ?? 'null') as Attempt | null;
  if (attempt === null || answer.get('state') !== attempt.state) return undefined;
  sessionStorage.removeItem(KEPT_AS);
  go(attempt.returnTo, { replace: true });
  const { token_endpoint } = await endpointsOf(issuer);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: answer.get('code') ?? '',
    redirect_uri: redirectUri(),
    client_id: clientId,
    code_verifier: attempt.verifier,
    ...(resource !== undefined && { resource }),
  });
  const response = await fetch(token_endpoint, { method: 'POST', body });
  if (!response.ok) throw new Error(`The sign-in service refused: ${answer.get('error') ?? response.status}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

async function endpointsOf(issuer: string): Promise<Endpoints> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(`The sign-in service answers ${response.status}.`);
  return (await response.json()) as Endpoints;
}

async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '');
