import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import { PROBE_MARK, ROLES_MARK } from '../openapi/marks';
import type { Role } from './caller';

export const ACCESS = 'hongbao:access';
export type Access = readonly Role[] | 'public';

/** Opens a route (or every route of a controller) to callers of these roles. */
export function Allow(...roles: [Role, ...Role[]]): MethodDecorator & ClassDecorator {
  return applyDecorators(
    SetMetadata(ACCESS, roles satisfies Access),
    ApiBearerAuth(),
    ApiExtension(ROLES_MARK, roles),
  );
}

/** Opens a route to everybody, without a token. */
export function Public(): MethodDecorator & ClassDecorator {
  return SetMetadata(ACCESS, 'public' satisfies Access);
}

/** A route for the machines that watch this process: public, and no rate limit may ever blind them. */
export function Probe(): MethodDecorator {
  return applyDecorators(Public(), RouteConfig({ probe: true }), ApiExtension(PROBE_MARK, true));
}
