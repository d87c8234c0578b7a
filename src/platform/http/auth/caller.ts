import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Role } from '../../../../libs/roles';

/** For whom the request counts, as the verified token says. */
export interface Caller {
  readonly userId: string;
  readonly role: Role;
  /** The server that asks for this user; absent when they ask themselves. */
  readonly via?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the AuthGuard; absent on public routes. */
    caller?: Caller;
  }
}

/** Hands the `Caller` to a controller method. Only for routes that `@Allow` somebody. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().caller,
);
