import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppConfig } from '../config';
import { rateLimited } from './http.error';
import { RateLimit } from './rate-limit';

/**
 * Runs after the AuthGuard, so that a user is counted once however many addresses he comes from. Operators work through
 * lists of users and are limited by their address only.
 */
@Injectable()
export class UserRateLimitGuard implements CanActivate {
  private readonly limit: RateLimit;

  constructor(config: AppConfig) {
    this.limit = new RateLimit(config.RATE_LIMIT_USER_PER_SECOND);
  }

  canActivate(context: ExecutionContext): true {
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (caller?.role !== 'user' || this.limit.admits(caller.userId)) return true;
    throw rateLimited('Too many requests of this user.', { retryAfterSeconds: 1 });
  }
}
