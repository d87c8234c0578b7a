import { must } from '../../../../libs/problem';
import { Is } from './judged';

export const IsOneOf = (values: readonly string[]): PropertyDecorator =>
  Is('isOneOf', (value) => values.includes(value as string), must.beOneOf(values));
