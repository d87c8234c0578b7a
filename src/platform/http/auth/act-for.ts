import { ApiHeader } from '@nestjs/swagger';
import type { IncomingHttpHeaders } from 'node:http';
import { must } from '../../../../libs/problem';
import { isUserId, USER_ID_RULE } from '../../../../libs/user-id';
import { forbidden, invalidField, unauthenticated } from '../problems/http.error';
import { userIdSchema } from '../input/ids';
import type { Caller } from './caller';

/** The header in which a server names the user it acts for. */
const ACT_FOR = 'Act-For';

/**
 * Returns the user whom a server names, or else the caller itself. A server has no rights of its
 * own, so it must name a user; a name from any other caller would only look as if it had an effect.
 * @throws invalidRequest, forbidden
 */
export function actingCaller(caller: Caller, { 'act-for': user }: IncomingHttpHeaders): Caller {
  if (caller.role === 'server') return { userId: userNamedBy(user), role: 'user', via: caller.userId };
  if (user !== undefined) throw forbidden(`Only the role server acts for others: leave out ${ACT_FOR}.`);
  return caller;
}

/**
 * For strangers: a server whose token was lost on the way would mistake a stranger's view for that of its user.
 * @throws unauthenticated
 */
export function refuseActFor({ 'act-for': user }: IncomingHttpHeaders): void {
  if (user !== undefined)
    throw unauthenticated(`${ACT_FOR} needs the token of a server: send "Authorization: Bearer TOKEN".`);
}

function userNamedBy(user: unknown): string {
  if (isUserId(user)) return user;
  const message = `must name the user for whom this server asks; ${USER_ID_RULE}`;
  throw invalidField(ACT_FOR, must.beA('user-id', message));
}

/** Documents the header. */
export const ActForHeader = (): MethodDecorator & ClassDecorator =>
  ApiHeader({
    name: ACT_FOR,
    required: false,
    description:
      'The user that a server acts for. Required with a token of the role `server`, and refused with any other.',
    schema: { type: 'string', ...userIdSchema },
  });
