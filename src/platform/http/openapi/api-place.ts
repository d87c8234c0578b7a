import { ApiExtension } from '@nestjs/swagger';
import { PLACE_MARK } from '../problems/marks';
import type { Operation } from './operations';

/**
 * Leaves a place in the description of a route: the route knows what fits there, and a part that may be
 * absent fills it. An empty place leaves no trace in the document.
 */
export const ApiPlace = (name: string, value: object): MethodDecorator =>
  ApiExtension(PLACE_MARK + name, value);

export const placeOf = (operation: Operation, name: string): unknown => operation[`${PLACE_MARK}${name}`];

export function clearPlaces(operation: Operation): void {
  const marks = Object.keys(operation) as (keyof Operation)[];
  for (const mark of marks) if (mark.startsWith(PLACE_MARK)) delete operation[mark];
}
