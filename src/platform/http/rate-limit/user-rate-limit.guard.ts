import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COUNTS_AS } from './counts-as';
import { RateLimits } from './rate-limits';

/** Runs after the AuthGuard, which says who the user is, or the address of a stranger. */
@Injectable()
export class UserRateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
  ) {}

  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const { caller, stranger } = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const countsAs = this.reflector.get<number | undefined>(COUNTS_AS, context.getHandler());
    if (stranger === undefined) this.limits.admitUser(caller, reply, countsAs);
    else this.limits.admitStranger(stranger, reply, countsAs);
    return true;
  }
}
