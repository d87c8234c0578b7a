import { createDecoder, createVerifier } from 'fast-jwt';
import { type AppConfig, publicKeyAlgorithm } from '../../config';
import { unauthenticated } from '../edge/http.error';
import { KeySet, type KeySetAlgorithm } from './key-set';

/** Signature, time, audience and issuer are valid. */
export interface TokenClaims {
  readonly sub?: unknown;
  readonly exp?: unknown;
  readonly channel_id?: unknown;
}

/**
 * Returns a promise while the key is fetched. The algorithm is pinned by configuration and never
 * read from the token.
 *
 * @throws (or rejects with) a problem: `auth.unauthenticated`, or `auth.keys_unavailable`
 */
export type ReadTokenClaims = (token: string) => TokenClaims | Promise<TokenClaims>;

/** Throws when the token is not valid. */
type Verify = (token: string) => TokenClaims;

const decode = createDecoder({ complete: true }) as (token: string) => {
  readonly header: { readonly alg?: unknown; readonly kid?: unknown };
};

export function tokenClaimsReader(config: AppConfig): ReadTokenClaims {
  const { JWT_SECRET, JWT_SECRET_PREVIOUS, JWT_PUBLIC_KEY, JWT_JWKS_URL, JWT_JWKS_ALGORITHM } = config;
  const bySecret = (secret: string) => verifierFor(config, secret, 'HS256');
  if (JWT_SECRET_PREVIOUS !== undefined)
    return byKey(either(bySecret(JWT_SECRET!), bySecret(JWT_SECRET_PREVIOUS)));
  if (JWT_SECRET !== undefined) return byKey(bySecret(JWT_SECRET));
  if (JWT_PUBLIC_KEY !== undefined)
    return byKey(verifierFor(config, JWT_PUBLIC_KEY, publicKeyAlgorithm(JWT_PUBLIC_KEY)!));
  return byKeySet(config, new URL(JWT_JWKS_URL!), JWT_JWKS_ALGORITHM);
}

const either =
  (verify: Verify, otherwise: Verify): Verify =>
  (token) => {
    try {
      return verify(token);
    } catch {
      return otherwise(token);
    }
  };

function byKey(verify: Verify): ReadTokenClaims {
  return (token) => valid(() => verify(token));
}

function byKeySet(config: AppConfig, url: URL, algorithm: KeySetAlgorithm): ReadTokenClaims {
  const keys = new KeySet(url, algorithm, (pem) => verifierFor(config, pem, algorithm));
  const claimsOf = (token: string, verify?: Verify) =>
    valid(() => {
      if (!verify) throw new Error('The token names no key of the set.');
      return verify(token);
    });
  return (token) => {
    const found = keys.find(valid(() => keyIdOf(token, algorithm)));
    return found instanceof Promise
      ? found.then((verify) => claimsOf(token, verify))
      : claimsOf(token, found);
  };
}

function keyIdOf(token: string, algorithm: KeySetAlgorithm): unknown {
  const { alg, kid } = decode(token).header;
  if (alg !== algorithm) throw new Error(`The token is not signed by ${algorithm}.`);
  return kid;
}

/** Refuses a token for any fault, without naming the fault. */
function valid<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw unauthenticated('The token is not valid, or not any more.', { cause });
  }
}

function verifierFor(config: AppConfig, key: string, algorithm: 'HS256' | KeySetAlgorithm): Verify {
  const { JWT_AUDIENCE, JWT_ISSUER, JWT_CLOCK_TOLERANCE_SECONDS } = config;
  return createVerifier({
    key,
    algorithms: [algorithm],
    allowedAud: JWT_AUDIENCE,
    allowedIss: JWT_ISSUER,
    requiredClaims: ['exp', ...(JWT_AUDIENCE ? ['aud'] : []), ...(JWT_ISSUER ? ['iss'] : [])],
    clockTolerance: JWT_CLOCK_TOLERANCE_SECONDS * 1000,
  });
}
