import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { rateLimited } from '../http.error';
import { RateLimits } from './rate-limits';

/**
 * Runs after the AuthGuard, so that a user is counted once however many addresses they come from. Operators work
 * through lists of users and are limited by their address only.
 */
@Injectable()
export class UserRateLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  canActivate(context: ExecutionContext): true {
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (caller?.role !== 'user' || this.limits.user.admits(caller.userId)) return true;
    throw rateLimited('Too many requests of this user.', { retryAfterSeconds: 1 });
  }
}
