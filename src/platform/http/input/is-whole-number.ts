import { must } from '../../../../libs/problem';
import { Judged } from './judged';

export interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
}

/** A JSON number without a fraction, from `minimum` to `maximum`. */
export const IsWholeNumber = ({ minimum, maximum }: Bounds): PropertyDecorator =>
  Judged('isWholeNumber', (value) => {
    if (!Number.isInteger(value)) return must.beA('whole-number');
    if ((value as number) < minimum) return must.beAtLeast(minimum);
    return (value as number) > maximum ? must.beAtMost(maximum) : undefined;
  });
