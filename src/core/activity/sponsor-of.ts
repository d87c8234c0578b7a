import { must } from '../../../libs/problem';
import { isStaff } from '../../../libs/roles';
import { type Caller, invalidField } from '../../platform/http';

/**
 * The sponsor that a request is about. Staff may name any, all other callers are their own.
 * @throws Problem `request.invalid` naming the field `sponsorId`
 */
export function sponsorOf(
  { role, userId }: Caller,
  { sponsorId = userId }: { readonly sponsorId?: string },
): string {
  if (isStaff(role) || sponsorId === userId) return sponsorId;
  throw invalidField('sponsorId', must.beLeftOut('can only be chosen by staff'));
}
