import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';
import { type AppConfig, publicKeyAlgorithm } from '../../config';
import { keysUnavailable, unauthenticated } from '../edge/http.error';
import { PlainTokens, type TokenClaims } from './plain-tokens';

/**
 * Claims of a token whose signature, time, audience and issuer are right; a promise of them unless it is a plain one. The
 * algorithm is pinned by configuration and never read from the token.
 *
 * Throws or rejects with a problem: `auth.unauthenticated`, or `auth.keys_unavailable` while the key cannot be fetched.
 */
export type ReadTokenClaims = (token: string) => TokenClaims | Promise<TokenClaims>;

const SECRET_ALGORITHM = 'HS256';
/** The letters of RFC 7515: without padding, which the library lets pass on some versions of Node. */
const COMPACT = /^[\w-]+(\.[\w-]+){2}$/;
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
  if (JWT_SECRET !== undefined) return bySecret(config, JWT_SECRET);
  if (JWT_PUBLIC_KEY !== undefined)
    return byKey(config, createPublicKey(JWT_PUBLIC_KEY), publicKeyAlgorithm(JWT_PUBLIC_KEY)!);
  return byKeySet(config, new URL(JWT_JWKS_URL!));
}

function bySecret(config: AppConfig, secret: string): ReadTokenClaims {
  const verify = byKey(config, createSecretKey(Buffer.from(secret)), SECRET_ALGORITHM);
  const plain = new PlainTokens(secret, config);
  const verifyAndLearn = async (token: string) => {
    const claims = await verify(token);
    plain.learn(token);
    return claims;
  };
  return (token) => plain.read(token) ?? verifyAndLearn(token);
}

function byKey(config: AppConfig, key: KeyObject, algorithm: string): ReadTokenClaims {
  const options = optionsFor(config, algorithm);
  return async (token) => {
    try {
      return await claimsOf(token, () => key, options);
    } catch (cause) {
      throw unauthenticated(NOT_VALID, { cause });
    }
  };
}

function byKeySet(config: AppConfig, url: URL): ReadTokenClaims {
  const keys = fetchedKeys(url);
  const options = optionsFor(config, config.JWT_JWKS_ALGORITHM);
  return async (token) => {
    try {
      return await claimsOf(token, keys, options);
    } catch (cause) {
      if (isFaultOfToken(cause)) throw unauthenticated(NOT_VALID, { cause });
      throw keysUnavailable('Tokens cannot be verified at the moment.', { retryAfterSeconds: 5, cause });
    }
  };
}

async function claimsOf(
  token: string,
  key: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<TokenClaims> {
  if (!COMPACT.test(token)) throw new errors.JWSInvalid('Not three parts of base64url.');
  const { payload } = await jwtVerify(token, key, options);
  return payload;
}

const optionsFor = (config: AppConfig, algorithm: string): JWTVerifyOptions => ({
  algorithms: [algorithm],
  audience: config.JWT_AUDIENCE,
  issuer: config.JWT_ISSUER,
  requiredClaims: ['exp'],
  clockTolerance: config.JWT_CLOCK_TOLERANCE_SECONDS,
});

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
