import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config';
import type { Caller } from '../auth/caller';
import { rateLimited } from '../problems/http.error';
import { RateLimit } from './rate-limit';
import { type Headed, sayLimit } from './rate-limit-headers';

/** Limits of the whole system, in requests a second. */
@Injectable()
export class RateLimits {
  readonly user: RateLimit;
  readonly address: RateLimit;

  constructor(config: AppConfig) {
    this.user = new RateLimit(config.RATE_LIMIT_USER_PER_SECOND);
    this.address = new RateLimit(config.RATE_LIMIT_ADDRESS_PER_SECOND);
  }

  /**
   * The cheapest refusal comes first: before the body is read or a token is verified. A server acts for many
   * users from one address, and each user has their own limit.
   * @throws rateLimited
   */
  admitAddress(address: string, reply: Headed, mayExceed: () => boolean): void {
    const left = this.address.take(address);
    sayLimit(reply, this.address, left);
    if (left < 0 && !mayExceed()) throw tooManyFromAddress();
  }

  /**
   * Counts a request without a token as several of its address, where it has already counted as one.
   * @throws rateLimited
   */
  admitStranger(address: string, reply: Headed, countsAs = 1): void {
    const further = Math.min(countsAs, this.address.perSecond) - 1;
    const left = this.address.take(address, undefined, further);
    sayLimit(reply, this.address, left);
    if (left < 0) throw tooManyFromAddress();
  }

  /**
   * Counts a user once, from whatever address or server. Staff are limited by their address only.
   * @throws rateLimited
   */
  admitUser(caller: Caller | undefined, reply: Headed, countsAs = 1): void {
    if (caller?.role !== 'user') return;
    const left = this.user.take(caller.userId, undefined, countsAs);
    sayLimit(reply, this.user, left);
    if (left < 0) throw rateLimited('Too many requests from this user.', { retryAfterSeconds: 1 });
  }
}

const tooManyFromAddress = (): Error =>
  rateLimited('Too many requests from this address.', { retryAfterSeconds: 1 });
