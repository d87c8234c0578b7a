import { must } from '../../../../libs/problem';
import { Is } from './judged';

const NAME = /^[A-Za-z][\w+/-]{0,50}$/;

/** Looks like the name of a time zone. Postgres knows which ones there are: `knowsTimeZone`. */
export const IsTimeZone = (): PropertyDecorator =>
  Is('isTimeZone', (value) => typeof value === 'string' && NAME.test(value), must.beA('time-zone'));
