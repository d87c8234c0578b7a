import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Role } from '../../../../libs/roles';

/** The user that the request counts for. */
export interface Caller {
  readonly userId: string;
  readonly role: Role;
  /** The server that acts for this user; absent if they act themselves. */
  readonly via?: string;
  /** The payout channel that a token of the role `channel` speaks for; absent for all others. */
  readonly channelId?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the AuthGuard; absent on public routes, and for strangers. */
    caller?: Caller;
    /** The key of the address of a caller without a token, on a route that is open to strangers. */
    stranger?: string;
  }
}

/** Passes the key of a stranger's address to a method that is open to them; undefined for a caller. */
export const CurrentStranger = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().stranger,
);

/** Passes the `Caller` to a method. Only for routes with `@Allow`; undefined for a stranger. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().caller,
);
