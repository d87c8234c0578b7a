import { createVerifier } from 'fast-jwt';
import { createLocalJWKSet, createRemoteJWKSet, errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { type AppConfig, publicKeyAlgorithm } from '../../config';
import { keysUnavailable, unauthenticated } from '../http.error';

export interface TokenClaims {
  readonly sub?: unknown;
  readonly role?: unknown;
  readonly exp?: unknown;
}

/**
 * Claims of a token whose signature, time, audience and issuer are right; a promise of them where the key has to be
 * fetched. The algorithm is pinned by configuration and never read from the token.
 *
 * Throws or rejects with a problem: `auth.unauthenticated`, or `auth.keys_unavailable` while the key cannot be fetched.
 */
export type ReadTokenClaims = (token: string) => TokenClaims | Promise<TokenClaims>;

const SECRET_ALGORITHM = 'HS256';
const NOT_VALID = 'The token is not valid, or not any more.';

/** Keys are fetched at most this often, however many tokens name keys that do not exist. */
const KEYS_COOLDOWN_MS = 30_000;
/** A key that its owner has withdrawn is believed no longer than this. */
const KEYS_AGE_MAX_MS = 300_000;
const KEYS_TIMEOUT_MS = 3_000;
/** After a fetch that failed. */
const KEYS_RETRY_MS = 5_000;

export function tokenClaimsReader(config: AppConfig): ReadTokenClaims {
  const { JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL } = config;
  if (JWT_SECRET !== undefined) return byKey(config, JWT_SECRET, SECRET_ALGORITHM);
  if (JWT_PUBLIC_KEY !== undefined) return byKey(config, JWT_PUBLIC_KEY, publicKeyAlgorithm(JWT_PUBLIC_KEY)!);
  return byKeySet(config, new URL(JWT_JWKS_URL!));
}

function byKey(
  config: AppConfig,
  key: string,
  algorithm: typeof SECRET_ALGORITHM | 'RS256' | 'ES256' | 'EdDSA',
): ReadTokenClaims {
  const verify = createVerifier({
    key,
    algorithms: [algorithm],
    allowedAud: config.JWT_AUDIENCE,
    allowedIss: config.JWT_ISSUER,
    requiredClaims: requiredClaims(config),
    clockTolerance: config.JWT_CLOCK_TOLERANCE_SECONDS * 1000,
  });
  return (token) => {
    try {
      return verify(token) as TokenClaims;
    } catch (cause) {
      throw unauthenticated(NOT_VALID, { cause });
    }
  };
}

function byKeySet(config: AppConfig, url: URL): ReadTokenClaims {
  const keys = fetchedKeys(url);
  const options = {
    algorithms: [config.JWT_JWKS_ALGORITHM],
    audience: config.JWT_AUDIENCE,
    issuer: config.JWT_ISSUER,
    requiredClaims: requiredClaims(config),
    clockTolerance: config.JWT_CLOCK_TOLERANCE_SECONDS,
  };
  return async (token) => {
    try {
      return (await jwtVerify(token, keys, options)).payload;
    } catch (cause) {
      if (isFaultOfToken(cause)) throw unauthenticated(NOT_VALID, { cause });
      throw keysUnavailable('Tokens cannot be verified at the moment.', { retryAfterSeconds: 5, cause });
    }
  };
}

/**
 * The library waits between fetches that succeed, but not after one that failed. Meanwhile the keys that are still fresh
 * count, so that a made-up key cannot lock anybody out.
 */
function fetchedKeys(url: URL): JWTVerifyGetKey {
  const fetchKey = createRemoteJWKSet(url, {
    cooldownDuration: KEYS_COOLDOWN_MS,
    cacheMaxAge: KEYS_AGE_MAX_MS,
    timeoutDuration: KEYS_TIMEOUT_MS,
  });
  let failure: { readonly cause: unknown; readonly untilMs: number } | undefined;
  return async (header, token) => {
    if (failure && Date.now() < failure.untilMs) {
      const known = fetchKey.fresh ? fetchKey.jwks() : undefined;
      if (!known) throw failure.cause;
      return createLocalJWKSet(known)(header, token);
    }
    try {
      return await fetchKey(header, token);
    } catch (cause) {
      if (!isFaultOfToken(cause)) failure = { cause, untilMs: Date.now() + KEYS_RETRY_MS };
      throw cause;
    }
  };
}

const requiredClaims = ({ JWT_AUDIENCE, JWT_ISSUER }: AppConfig): string[] => [
  'exp',
  ...(JWT_AUDIENCE === undefined ? [] : ['aud']),
  ...(JWT_ISSUER === undefined ? [] : ['iss']),
];

/** Everything else is a key set that did not come, or is none. */
function isFaultOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  );
}
