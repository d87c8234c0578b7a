import type { IncomingHttpHeaders } from 'node:http';
import type { Role } from '../../../../libs/roles';
import { forbidden, unauthenticated } from '../problems/http.error';
import { Refusal } from '../problems/refusals';
import { actingCaller } from './act-for';
import { bearerToken } from './bearer-token';
import type { Caller } from './caller';

/** @throws unauthenticated */
export function bearerTokenOf(headers: IncomingHttpHeaders): string {
  const token = bearerToken(headers);
  if (token === undefined) throw unauthenticated('Send the token as "Authorization: Bearer TOKEN".');
  return token;
}

/**
 * Returns the caller that a request counts for.
 * @throws forbidden, invalidRequest
 */
export function admitted(caller: Caller, roles: readonly Role[], headers: IncomingHttpHeaders): Caller {
  requireRole(caller, roles);
  return actingCaller(caller, headers);
}

/** @throws forbidden */
export function requireRole({ role }: Caller, roles: readonly Role[]): void {
  if (roles.includes(role)) return;
  const cause = new Refusal('role', `expected ${roles.join(' or ')}, got ${role}.`);
  throw forbidden(`This route is open to: ${roles.join(', ')}. The role of this token is ${role}.`, {
    cause,
  });
}
