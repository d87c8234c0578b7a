import { STATUS_CODES } from 'node:http';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { definedProblems, type ProblemDefinition } from '../../../../libs/problem';
import {
  forbidden,
  internal,
  invalidRequest,
  malformedRequest,
  rateLimited,
  requestTooLarge,
  unauthenticated,
  unavailable,
  unknownField,
  unsupportedMediaType,
} from '../http.error';
import { problemType } from '../problem-reply';
import { PROBE_MARK, PROBLEM_MARK } from './marks';
import { ProblemDto } from './problem.dto';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & Record<`x-${string}`, unknown>;

const EVERYWHERE = [internal, unavailable];
const NOT_FOR_PROBES = [rateLimited];
const BEHIND_A_TOKEN = [unauthenticated, forbidden, unknownField];
const WITH_INPUT = [invalidRequest];
const WITH_BODY = [malformedRequest, requestTooLarge, unsupportedMediaType];

/** Gives every operation its problem answers: those it declares by `@ApiProblems`, and those that follow from its shape. */
export function describeProblems(document: OpenAPIObject): OpenAPIObject {
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path) as Operation[]) describe(operation);
  }
  return document;
}

function describe(operation: Operation): void {
  const problems = [...declared(operation), ...implied(operation)];
  for (const status of new Set(problems.map((problem) => problem.status))) {
    operation.responses[status] ??= toAnswer(
      status,
      problems.filter((problem) => problem.status === status),
    );
  }
  operation.security ??= [];
  removeMarks(operation);
}

function declared(operation: Operation): ProblemDefinition[] {
  return definedProblems().filter(({ code }) => operation[`${PROBLEM_MARK}${code}`]);
}

function implied(operation: Operation): ProblemDefinition[] {
  const { parameters = [], requestBody, security } = operation;
  const takesInput = parameters.length > 0 || requestBody !== undefined;
  return [
    ...(takesInput ? WITH_INPUT : []),
    ...(requestBody === undefined ? [] : WITH_BODY),
    ...(security === undefined ? [] : BEHIND_A_TOKEN),
    ...(operation[PROBE_MARK] ? [] : NOT_FOR_PROBES),
    ...EVERYWHERE,
  ].map(({ definition }) => definition);
}

function removeMarks(operation: Operation): void {
  delete operation[PROBE_MARK];
  for (const { code } of definedProblems()) delete operation[`${PROBLEM_MARK}${code}`];
}

function toAnswer(status: number, problems: ProblemDefinition[]) {
  return {
    description: `${STATUS_CODES[status]}: ${problems.map(({ code }) => `\`${code}\``).join(', ')}`,
    content: {
      'application/problem+json': {
        schema: { $ref: getSchemaPath(ProblemDto) },
        examples: Object.fromEntries(
          problems.map((problem) => [problem.code, { value: toExample(problem) }]),
        ),
      },
    },
  };
}

function toExample({ code, status, title }: ProblemDefinition): ProblemDto {
  const requestId = '3f0c2b8e-6f0e-4c39-9d6b-0f5f6c1f7a11';
  return { type: problemType(code), title, status, detail: `${title}.`, code, requestId };
}
