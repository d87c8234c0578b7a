import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

export const ROLES = ['user', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Who makes the request, as the verified token says. */
export interface Caller {
  readonly userId: string;
  readonly role: Role;
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
