import { timingSafeEqual } from 'node:crypto';
import type { AppConfig } from '../../config';
import { KeyedDigest } from './keyed-digest';
import { nowSeconds } from './now-seconds';

/** Header, payload and signature, as long as that of HMAC-SHA256. */
const PLAIN = /^([\w-]+)\.([\w-]+)\.([\w-]{43})$/;

/** Node takes no longer headers of a request. */
const TOKEN_LENGTH_MAX = 8 * 1024;

/** Those who sign tokens write one header, or a few. */
const HEADERS_MAX = 8;

/** In place of bytes that are no text. */
const NO_TEXT = '\ufffd';

export interface TokenClaims {
  readonly sub?: unknown;
  readonly role?: unknown;
  readonly exp?: unknown;
}

interface PlainClaims extends TokenClaims {
  readonly nbf?: unknown;
  readonly iat?: unknown;
  readonly aud?: unknown;
  readonly iss?: unknown;
}

type Rules = Pick<AppConfig, 'JWT_AUDIENCE' | 'JWT_ISSUER' | 'JWT_CLOCK_TOLERANCE_SECONDS'>;

/**
 * Reads tokens that are signed with a secret and beyond doubt, several times as fast as the library does. It refuses none: a token
 * is good here only if the library would say so, and about all others the library is asked. So an error here that takes good
 * tokens for doubtful ones costs time and nothing else, and plain-tokens.spec.ts looks for the other kind.
 *
 * It judges no header. It knows those with which the library has accepted a token, to the last character.
 */
export class PlainTokens {
  private readonly digest: KeyedDigest;
  private readonly headers = new Set<string>();

  constructor(
    secret: string,
    private readonly rules: Rules,
  ) {
    this.digest = new KeyedDigest(Buffer.from(secret), TOKEN_LENGTH_MAX);
  }

  /** To be called with tokens that the library has accepted. */
  learn(token: string): void {
    if (this.headers.size < HEADERS_MAX) this.headers.add(token.slice(0, token.indexOf('.')));
  }

  /** The claims of a good token; undefined when the library has to be asked. */
  read(token: string): TokenClaims | undefined {
    const [, header, payload, signature] = (token.length <= TOKEN_LENGTH_MAX && PLAIN.exec(token)) || [];
    if (!this.headers.has(header!) || !this.isSigned(token, signature!)) return undefined;
    const claims = claimsIn(payload!);
    return claims && this.areInOrder(claims) ? claims : undefined;
  }

  private isSigned(token: string, signature: string): boolean {
    const digest = this.digest.of(token.slice(0, -signature.length - 1));
    return timingSafeEqual(digest, Buffer.from(signature, 'base64url'));
  }

  private areInOrder({ exp, nbf, iat, aud, iss }: PlainClaims): boolean {
    const { JWT_AUDIENCE, JWT_ISSUER, JWT_CLOCK_TOLERANCE_SECONDS: tolerance } = this.rules;
    const now = nowSeconds();
    return (
      typeof exp === 'number' &&
      exp > now - tolerance &&
      (nbf === undefined || (typeof nbf === 'number' && nbf <= now + tolerance)) &&
      (iat === undefined || typeof iat === 'number') &&
      (JWT_AUDIENCE === undefined || aud === JWT_AUDIENCE) &&
      (JWT_ISSUER === undefined || iss === JWT_ISSUER)
    );
  }
}

/** Nobody but a holder of the secret has written it, which does not mean that it is JSON. */
function claimsIn(payload: string): PlainClaims | undefined {
  const text = Buffer.from(payload, 'base64url').toString();
  if (payload.length % 4 === 1 || text.includes(NO_TEXT)) return undefined;
  try {
    return (JSON.parse(text) as PlainClaims | null) ?? undefined;
  } catch {
    return undefined;
  }
}
