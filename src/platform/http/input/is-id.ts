import { must } from '../../../../libs/problem';
import { isPersonId, isUserId } from '../../../../libs/user-id';
import { isId } from './ids';
import { Is } from './judged';

export const IsId = (): PropertyDecorator => Is('isId', isId, must.beA('id'));

/** A user id is what a token may carry as its subject. */
export const IsUserId = (): PropertyDecorator => Is('isUserId', isUserId, must.beA('user-id'));

/** A pseudonym too, for filters. */
export const IsPersonId = (): PropertyDecorator => Is('isPersonId', isPersonId, must.beA('user-id'));
