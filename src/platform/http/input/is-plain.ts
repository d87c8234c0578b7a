import { must } from '../../../../libs/problem';
import { Is } from './judged';

/** Text whose allowed values are decided elsewhere. */
export const IsAnyText = (): PropertyDecorator =>
  Is('isAnyText', (value) => typeof value === 'string', must.beA('text'));

export const IsFlag = (): PropertyDecorator =>
  Is('isFlag', (value) => typeof value === 'boolean', must.beA('boolean'));

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const IsObject = (message: string): PropertyDecorator =>
  Is('isObject', isObject, must.beA('object', message));
