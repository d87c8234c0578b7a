import { applyDecorators } from '@nestjs/common';
import { IsInt, Max, Min } from 'class-validator';

export interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
}

/** A JSON number without a fraction, from `minimum` to `maximum`. */
export const IsWholeNumber = ({ minimum, maximum }: Bounds): PropertyDecorator =>
  applyDecorators(
    IsInt({ message: 'must be a whole number' }),
    Min(minimum, { message: `must be at least ${minimum}` }),
    Max(maximum, { message: `must be at most ${maximum}` }),
  );
