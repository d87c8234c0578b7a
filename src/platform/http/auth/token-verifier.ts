import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Problem } from '../../../../libs/problem';
import { roleIn, type RoleNaming, valueAt } from '../../../../libs/roles';
import { isPersonId, isUserId } from '../../../../libs/user-id';
import { AppConfig } from '../../config';
import { unauthenticated } from '../problems/http.error';
import { quoted, Refusal } from '../problems/refusals';
import { isId } from '../input/ids';
import type { Caller } from './caller';
import { nowSeconds } from './now-seconds';
import { type ReadTokenClaims, type TokenClaims, tokenClaimsReader } from './token-claims';

/** Characters of remembered tokens: about a hundred thousand users. */
const REMEMBERED_MAX = 30_000_000;

/** A key may be withdrawn, so it is checked again after this long. */
const REMEMBERED_MS = 300_000;

export interface Verified {
  readonly caller: Caller;
  /** The end of the token, in seconds since the epoch. */
  readonly endsAtSeconds: number;
  /** By `performance.now()`: a clock that is set back must not keep a withdrawn key trusted. */
  readonly againAtMs: number;
}

/** Returns whether the token has ended or must be verified again. */
export const isDue = ({ endsAtSeconds, againAtMs }: Verified): boolean =>
  nowSeconds() >= endsAtSeconds || performance.now() >= againAtMs;

/**
 * Turns a token into its caller. A crowd taps repeatedly with the same tokens, so a valid token is remembered
 * for some minutes, and never longer than it is valid.
 */
@Injectable()
export class TokenVerifier {
  private readonly readClaims: ReadTokenClaims;
  private readonly toleranceSeconds: number;
  private readonly roles: RoleNaming;
  private readonly remembered = new LRUCache<string, Verified>({
    maxSize: REMEMBERED_MAX,
    sizeCalculation: (_, token) => token.length,
  });

  constructor(config: AppConfig) {
    this.readClaims = tokenClaimsReader(config);
    this.toleranceSeconds = config.JWT_CLOCK_TOLERANCE_SECONDS;
    this.roles = { claim: config.JWT_ROLE_CLAIM, names: config.JWT_ROLE_NAMES };
  }

  /**
   * Answers without a promise where it can: a promise costs every grab a turn of the event loop.
   *
   * @throws (or rejects with) a problem: `auth.unauthenticated`, `auth.keys_unavailable`
   */
  verify(token: string): Caller | Promise<Caller> {
    const verified = this.lookAt(token);
    return verified instanceof Promise ? verified.then(({ caller }) => caller) : verified.caller;
  }

  /** Also returns when the token must be verified again, for connections that stay open. */
  lookAt(token: string): Verified | Promise<Verified> {
    const known = this.recall(token);
    if (known) return known;
    const claims = this.readClaims(token);
    return claims instanceof Promise
      ? claims.then((fetched) => this.remember(token, fetched))
      : this.remember(token, claims);
  }

  /** Answers from memory, and never verifies the token. */
  isKnownServer(token: string): boolean {
    return this.recall(token)?.caller.role === 'server';
  }

  private recall(token: string): Verified | undefined {
    const known = this.remembered.get(token);
    return known && !isDue(known) ? known : undefined;
  }

  private remember(token: string, claims: TokenClaims): Verified {
    const { sub, exp, channel_id: channelId } = claims;
    const role = roleIn(claims, this.roles);
    if (typeof exp !== 'number') throw refused('The token must expire (exp).', exp);
    if (!isUserId(sub))
      throw refused(
        isPersonId(sub)
          ? 'The token names the pseudonym of a person who was forgotten (sub).'
          : 'The token names no valid user (sub).',
        sub,
      );
    if (!role)
      throw refused(
        `The token has an unknown role, or several of which none includes the others (${this.roles.claim}).`,
        valueAt(claims, this.roles.claim),
      );
    if (role === 'channel' && !isId(channelId))
      throw refused('A token of the role channel must name its channel (channel_id).', channelId);
    const verified = {
      caller: { userId: sub, role, ...(role === 'channel' && { channelId: channelId as string }) },
      endsAtSeconds: exp + this.toleranceSeconds,
      againAtMs: performance.now() + REMEMBERED_MS,
    };
    this.remembered.set(token, verified);
    return verified;
  }
}

/** Only the log repeats the claim. */
function refused(detail: string, got: unknown): Problem {
  return unauthenticated(detail, { cause: new Refusal('claims', `${detail} It is ${quoted(got)}.`) });
}
