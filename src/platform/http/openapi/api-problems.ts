import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { ProblemFactory } from '../../../../libs/problem';
import { PROBLEM_MARK } from '../problems/marks';

/** Documents the problems of a route, beside those of every route. */
export function ApiProblems(...problems: ProblemFactory[]): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ...problems.map(({ definition }) => ApiExtension(PROBLEM_MARK + definition.code, true)),
  );
}
