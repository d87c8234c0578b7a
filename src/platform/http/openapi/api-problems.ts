import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { ProblemFactory } from '../../../../libs/problem';
import { PROBLEM_MARK } from './marks';

/**
 * Documents the problems that a route answers with, beside those of every route (bad input, no
 * token, wrong role, too often, our fault, a service that is down).
 */
export function ApiProblems(...problems: ProblemFactory[]): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ...problems.map(({ definition }) => ApiExtension(PROBLEM_MARK + definition.code, true)),
  );
}
