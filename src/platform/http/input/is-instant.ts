import { must } from '../../../../libs/problem';
import { Is } from './judged';

const RFC_3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * An instant of RFC 3339 with its offset from UTC, e.g. `2031-02-01T20:00:00Z`. `Date` also takes
 * local times, other notations, and 30 February.
 */
export function isInstant(value: unknown): value is string {
  const [match, year, month, day] = (typeof value === 'string' && RFC_3339.exec(value)) || [];
  if (match === undefined) return false;
  return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

/** The instant is kept as text. */
export const IsInstant = (): PropertyDecorator => Is('isInstant', isInstant, must.beA('instant'));
