import { createSecretKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { LRUCache } from 'lru-cache';
import { AppConfig } from '../../config';
import { unauthenticated } from '../http.error';
import { isUserId } from '../ids';
import { type Caller, type Role, ROLES } from './caller';

const ALGORITHM = 'HS256';

/** In characters of tokens: about a hundred thousand users. */
const REMEMBERED_MAX = 30_000_000;

interface Claims {
  readonly sub?: unknown;
  readonly role?: unknown;
  readonly exp?: unknown;
}

interface Verified {
  readonly caller: Caller;
  readonly expiresAtSeconds: number;
}

/**
 * Turns a token into the caller it speaks for. The algorithm is pinned here and never read from the token.
 * The key is a KeyObject: from a string the library derives one on every call, which costs fifty times the verification.
 *
 * A crowd taps again and again with the same tokens. One that was found valid is valid until it expires, so it is verified
 * once and remembered, to the last character.
 */
@Injectable()
export class TokenVerifier {
  private readonly jwt: JwtService;
  private readonly remembered = new LRUCache<string, Verified>({
    maxSize: REMEMBERED_MAX,
    sizeCalculation: (_, token) => token.length,
  });

  constructor(config: AppConfig) {
    this.jwt = new JwtService({
      secret: createSecretKey(config.JWT_SECRET, 'utf8'),
      verifyOptions: { algorithms: [ALGORITHM], audience: config.JWT_AUDIENCE, issuer: config.JWT_ISSUER },
    });
  }

  /** @throws Problem `auth.unauthenticated` */
  verify(token: string): Caller {
    const known = this.remembered.get(token);
    if (known && Math.floor(Date.now() / 1000) < known.expiresAtSeconds) return known.caller;
    const verified = this.verifyAnew(token);
    this.remembered.set(token, verified);
    return verified.caller;
  }

  private verifyAnew(token: string): Verified {
    const { sub, role = 'user', exp } = this.claimsOf(token);
    if (typeof exp !== 'number') throw unauthenticated('The token must expire (exp).');
    if (!isUserId(sub)) throw unauthenticated('The token names no valid user (sub).');
    if (!isRole(role)) throw unauthenticated('The token has an unknown role.');
    return { caller: { userId: sub, role }, expiresAtSeconds: exp };
  }

  private claimsOf(token: string): Claims {
    try {
      return this.jwt.verify<Claims>(token);
    } catch (cause) {
      throw unauthenticated('The token is not valid, or not any more.', { cause });
    }
  }
}

function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}
