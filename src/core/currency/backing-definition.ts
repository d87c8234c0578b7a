import type { OpenAPIObject } from '@nestjs/swagger';
import type { ProblemFactory } from '../../../libs/problem';
import { addProblems, ApiPlace, operationsOf, placeOf } from '../../platform/http';

const BACKING_PLACE = 'backing';

let problems: readonly ProblemFactory[] = [];

/** Names the problems of a backing that refuse packets, in programs that load its code. */
export function defineBacking(added: readonly ProblemFactory[]): void {
  problems = [...problems, ...added];
}

/** A route that may be refused because of what units stand for. */
export const ApiBacking = (): MethodDecorator => ApiPlace(BACKING_PLACE, {});

export const backingProblems = (): readonly ProblemFactory[] => problems;

/** Describes the backing at the operations that ask it. */
export function describeBacking(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document))
    if (placeOf(operation, BACKING_PLACE)) addProblems(operation, problems);
}
