import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimits } from './rate-limits';

/** Runs after the AuthGuard, which says who the user is. */
@Injectable()
export class UserRateLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    this.limits.admitUser(http.getRequest<FastifyRequest>().caller, http.getResponse<FastifyReply>());
    return true;
  }
}
