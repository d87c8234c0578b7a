import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COUNTS_AS } from './counts-as';
import { RateLimits } from './rate-limits';

/** Runs after the AuthGuard, which says who the user is. */
@Injectable()
export class UserRateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
  ) {}

  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<FastifyRequest>();
    const countsAs = this.reflector.get<number | undefined>(COUNTS_AS, context.getHandler());
    this.limits.admitUser(caller, http.getResponse<FastifyReply>(), countsAs);
    return true;
  }
}
