import { ValidateBy, type ValidationOptions } from 'class-validator';
import { isUserId, USER_ID_RULE } from '../../../../libs/user-id';
import { isId } from './ids';

export function IsId({ each }: Pick<ValidationOptions, 'each'> = {}): PropertyDecorator {
  const message = each ? 'must be a list of decimal ids' : 'must be a decimal id';
  return ValidateBy({ name: 'isId', validator: { validate: isId, defaultMessage: () => message } }, { each });
}

/** A user id is what a token may carry as its subject. */
export function IsUserId(): PropertyDecorator {
  const defaultMessage = () => USER_ID_RULE;
  return ValidateBy({ name: 'isUserId', validator: { validate: isUserId, defaultMessage } });
}
