import { isStaff, type Right, type Role, roleIn, type RoleNaming, rolesWith } from '../../../libs/roles';
import { claimsOf, userOf } from '../kit/person';

/** The API verifies the token; here it only decides what to show. */
export interface Person {
  readonly sub: string;
  readonly role: Role;
}

export const may = ({ role }: Person, right: Right): boolean => rolesWith(right).includes(role);

/** Undefined when the token is not that of staff. */
export function staffOf(token: string, roles: RoleNaming): Person | undefined {
  const sub = userOf(token);
  const role = roleIn(claimsOf(token) ?? {}, roles);
  return sub !== undefined && role !== undefined && isStaff(role) ? { sub, role } : undefined;
}
