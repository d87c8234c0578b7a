import { must } from '../../../../libs/problem';
import { isInstant } from './is-instant';
import { Is } from './judged';

export const isDay = (value: unknown): value is string =>
  /^2\d{3}-\d\d-\d\d$/.test(String(value)) && isInstant(`${String(value)}T00:00:00Z`);

/** A day of the calendar, such as `2031-02-03`. Its field says in which time zone. */
export const IsDay = (): PropertyDecorator => Is('isDay', isDay, must.beA('day'));
