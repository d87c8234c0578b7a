import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { ProblemFactory } from '../../../../libs/problem';
import { PROBLEM_MARK } from '../problems/marks';
import type { Operation } from './operations';

/** Documents the problems of a route, in addition to those of every route. */
export function ApiProblems(...problems: ProblemFactory[]): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ...problems.map(({ definition }) => ApiExtension(PROBLEM_MARK + definition.code, true)),
  );
}

/** Documents the problems of an operation that was not decorated with them. */
export function addProblems(operation: Operation, problems: readonly ProblemFactory[]): void {
  for (const { definition } of problems) operation[`${PROBLEM_MARK}${definition.code}`] = true;
}
