import { must } from '../../../libs/problem';
import { invalidField } from '../../platform/http';

const DAY_MS = 24 * 60 * 60 * 1000;
const WINDOW_DISTANCE_MAX_DAYS = 366;

/** @throws Problem `request.invalid` naming the field if the instant is farther away than any window may be */
export function requireNear(field: string, instant: Date, now: Date): void {
  if (Math.abs(instant.getTime() - now.getTime()) > WINDOW_DISTANCE_MAX_DAYS * DAY_MS)
    throw invalidField(field, must.beWithin(WINDOW_DISTANCE_MAX_DAYS, 'now'));
}
