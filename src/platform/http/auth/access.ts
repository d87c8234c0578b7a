import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension, ApiSecurity } from '@nestjs/swagger';
import { type Right, type Role, rolesWith } from '../../../../libs/roles';
import { PROBE_MARK, ROLES_MARK } from '../problems/marks';
import { ActForHeader } from './act-for';

export const ACCESS = 'hongbao:access';
export const OPEN_TO_STRANGERS = 'hongbao:open-to-strangers';
export type Access = readonly Role[] | 'public';

/** Opens a route, or all of a controller, to callers whose role has this right. */
export function Allow(right: Right): MethodDecorator & ClassDecorator {
  const roles = rolesWith(right);
  return applyDecorators(
    SetMetadata(ACCESS, roles satisfies Access),
    ApiBearerAuth(),
    ApiExtension(ROLES_MARK, roles),
    ...(roles.includes('server') ? [ActForHeader()] : []),
  );
}

/**
 * In addition to `@Allow`: callers without a token are let in as well, as strangers known by their address. A
 * token that is sent must still be valid. Strangers do not wait in line, so the route itself must limit what they
 * use in total.
 */
export function OpenToStrangers(): MethodDecorator {
  return applyDecorators(SetMetadata(OPEN_TO_STRANGERS, true), ApiSecurity({}));
}

export function Public(): MethodDecorator & ClassDecorator {
  return SetMetadata(ACCESS, 'public' satisfies Access);
}

/** Marks a route for machines that watch this process: public, and never limited. */
export function Probe(): MethodDecorator {
  return applyDecorators(Public(), RouteConfig({ probe: true }), ApiExtension(PROBE_MARK, true));
}
