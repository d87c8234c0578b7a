import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isRole } from '../../../../libs/roles';
import { isUserId } from '../../../../libs/user-id';
import { AppConfig } from '../../config';
import { unauthenticated } from '../http.error';
import type { Caller } from './caller';
import { type ReadTokenClaims, type TokenClaims, tokenClaimsReader } from './token-claims';

/** In characters of tokens: about a hundred thousand users. */
const REMEMBERED_MAX = 30_000_000;

/** How long a token is believed without another look at its key, which may have been withdrawn. */
const REMEMBERED_SECONDS = 300;

interface Verified {
  readonly caller: Caller;
  readonly untilSeconds: number;
}

/**
 * Turns a token into the caller it speaks for.
 *
 * A crowd taps again and again with the same tokens. One that was found valid is verified once and remembered for some
 * minutes, to the last character, and never longer than it is valid.
 */
@Injectable()
export class TokenVerifier {
  private readonly readClaims: ReadTokenClaims;
  private readonly toleranceSeconds: number;
  private readonly remembered = new LRUCache<string, Verified>({
    maxSize: REMEMBERED_MAX,
    sizeCalculation: (_, token) => token.length,
  });

  constructor(config: AppConfig) {
    this.readClaims = tokenClaimsReader(config);
    this.toleranceSeconds = config.JWT_CLOCK_TOLERANCE_SECONDS;
  }

  /**
   * Answers at once where it can: a promise costs every grab a turn.
   *
   * Throws or rejects with a problem: `auth.unauthenticated`, `auth.keys_unavailable`
   */
  verify(token: string): Caller | Promise<Caller> {
    const known = this.recall(token);
    if (known) return known;
    const claims = this.readClaims(token);
    return claims instanceof Promise
      ? claims.then((fetched) => this.remember(token, fetched))
      : this.remember(token, claims);
  }

  /** Whether this was found to be the token of a server lately. It is never verified for this question. */
  isKnownServer(token: string): boolean {
    return this.recall(token)?.role === 'server';
  }

  private recall(token: string): Caller | undefined {
    const known = this.remembered.get(token);
    return known && nowSeconds() < known.untilSeconds ? known.caller : undefined;
  }

  private remember(token: string, claims: TokenClaims): Caller {
    const { sub, role = 'user', exp } = claims;
    if (typeof exp !== 'number') throw unauthenticated('The token must expire (exp).');
    if (!isUserId(sub)) throw unauthenticated('The token names no valid user (sub).');
    if (!isRole(role)) throw unauthenticated('The token has an unknown role.');
    const caller = { userId: sub, role };
    const untilSeconds = Math.min(exp + this.toleranceSeconds, nowSeconds() + REMEMBERED_SECONDS);
    this.remembered.set(token, { caller, untilSeconds });
    return caller;
  }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
