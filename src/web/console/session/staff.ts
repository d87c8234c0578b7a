import { isStaff, type Right, type Role, roleIn, type RoleNaming, rolesWith } from '../../../../libs/roles';
import { claimsOf, userOf } from '../../kit/person';

/** The API verifies the token; here it only decides what to show. */
export interface Person {
  readonly sub: string;
  readonly role: Role;
  /** The channel for which a caller of the role `channel` speaks. */
  readonly channelId?: string;
}

export const may = ({ role }: Person, right: Right): boolean => rolesWith(right).includes(role);

export const isSame = (one: Person, other: Person): boolean =>
  one.sub === other.sub && one.role === other.role && one.channelId === other.channelId;

/** Undefined if the token belongs neither to staff nor to a channel. */
export function staffOf(token: string, roles: RoleNaming): Person | undefined {
  const sub = userOf(token);
  const claims = claimsOf(token) ?? {};
  const role = roleIn(claims, roles);
  if (sub === undefined || role === undefined) return undefined;
  if (role === 'channel') return { sub, role, channelId: (claims as { channel_id?: string }).channel_id };
  return isStaff(role) ? { sub, role } : undefined;
}
