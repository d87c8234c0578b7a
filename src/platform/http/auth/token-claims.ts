import { createDecoder, createVerifier } from 'fast-jwt';
import { type AppConfig, publicKeyAlgorithm } from '../../config';
import { unauthenticated } from '../problems/http.error';
import { quoted, Refusal } from '../problems/refusals';
import { KeySet, type KeySetAlgorithm } from './key-set';
import { type Expected, refusalOf } from './token-faults';

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
  const expected = (algorithm: string, key: string): Expected => ({ algorithm, key, config });
  if (JWT_SECRET_PREVIOUS !== undefined)
    return byKey(
      either(bySecret(JWT_SECRET!), bySecret(JWT_SECRET_PREVIOUS)),
      expected('HS256', 'JWT_SECRET'),
    );
  if (JWT_SECRET !== undefined) return byKey(bySecret(JWT_SECRET), expected('HS256', 'JWT_SECRET'));
  if (JWT_PUBLIC_KEY !== undefined) {
    const algorithm = publicKeyAlgorithm(JWT_PUBLIC_KEY)!;
    return byKey(verifierFor(config, JWT_PUBLIC_KEY, algorithm), expected(algorithm, 'JWT_PUBLIC_KEY'));
  }
  return byKeySet(new URL(JWT_JWKS_URL!), expected(JWT_JWKS_ALGORITHM, 'JWT_JWKS_ALGORITHM'));
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

function byKey(verify: Verify, expected: Expected): ReadTokenClaims {
  return (token) => valid(token, expected, () => verify(token));
}

function byKeySet(url: URL, expected: Expected): ReadTokenClaims {
  const { config } = expected;
  const algorithm = config.JWT_JWKS_ALGORITHM;
  const keys = new KeySet(url, algorithm, (pem) => verifierFor(config, pem, algorithm));
  const claimsOf = (token: string, kid: unknown, verify?: Verify) =>
    valid(token, expected, () => {
      if (!verify) throw new Refusal('key', `expected one of ${keys.names}, got ${quoted(kid)}.`);
      return verify(token);
    });
  return (token) => {
    const kid = valid(token, expected, () => keyIdOf(token, algorithm));
    const found = keys.find(kid);
    return found instanceof Promise
      ? found.then((verify) => claimsOf(token, kid, verify))
      : claimsOf(token, kid, found);
  };
}

function keyIdOf(token: string, algorithm: KeySetAlgorithm): unknown {
  const { alg, kid } = decode(token).header;
  if (alg !== algorithm) throw new Error(`The token is not signed by ${algorithm}.`);
  return kid;
}

/** Refuses a token for any fault, which only the log names. */
function valid<T>(token: string, expected: Expected, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const cause = error instanceof Refusal ? error : refusalOf(token, error, expected);
    throw unauthenticated('The token is not valid, or no longer valid.', { cause });
  }
}

function verifierFor(config: AppConfig, key: string, algorithm: 'HS256' | KeySetAlgorithm): Verify {
  const { JWT_AUDIENCE, JWT_AUDIENCE_CLAIM, JWT_ISSUER, JWT_CLOCK_TOLERANCE_SECONDS } = config;
  const verify: Verify = createVerifier({
    key,
    algorithms: [algorithm],
    allowedAud: JWT_AUDIENCE_CLAIM === 'aud' ? JWT_AUDIENCE : undefined,
    allowedIss: JWT_ISSUER,
    requiredClaims: ['exp', ...(JWT_AUDIENCE ? [JWT_AUDIENCE_CLAIM] : []), ...(JWT_ISSUER ? ['iss'] : [])],
    clockTolerance: JWT_CLOCK_TOLERANCE_SECONDS * 1000,
  });
  return JWT_AUDIENCE === undefined || JWT_AUDIENCE_CLAIM === 'aud'
    ? verify
    : (token) => forAudience(verify(token), JWT_AUDIENCE_CLAIM, JWT_AUDIENCE);
}

/** The library compares only `aud`, which some providers leave out of access tokens. */
function forAudience(claims: TokenClaims, name: string, audience: string): TokenClaims {
  if (Reflect.get(claims, name) === audience) return claims;
  throw new Error('The token is for another audience.');
}
