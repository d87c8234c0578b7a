import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config';
import { RateLimit } from './rate-limit';

/** How much one user, and one address, may ask of the whole system in a second. */
@Injectable()
export class RateLimits {
  readonly user: RateLimit;
  readonly address: RateLimit;

  constructor(config: AppConfig) {
    this.user = new RateLimit(config.RATE_LIMIT_USER_PER_SECOND);
    this.address = new RateLimit(config.RATE_LIMIT_ADDRESS_PER_SECOND);
  }
}
