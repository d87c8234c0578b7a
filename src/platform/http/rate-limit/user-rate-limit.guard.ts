import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rateLimited } from '../http.error';
import { sayLimit } from './rate-limit-headers';
import { RateLimits } from './rate-limits';

/**
 * Runs after the AuthGuard, so that a user is counted once, however many addresses they come from, and no matter who
 * asks for them. Staff work through lists of users and are limited by their address only.
 */
@Injectable()
export class UserRateLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<FastifyRequest>();
    if (caller?.role !== 'user') return true;
    const left = this.limits.user.take(caller.userId);
    sayLimit(http.getResponse<FastifyReply>(), this.limits.user, left);
    if (left >= 0) return true;
    throw rateLimited('Too many requests of this user.', { retryAfterSeconds: 1 });
  }
}
