import { STATUS_CODES } from 'node:http';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { definedProblems, type ProblemDefinition } from '../../../../libs/problem';
import {
  forbidden,
  headersTooLarge,
  internal,
  invalidRequest,
  keysUnavailable,
  malformedRequest,
  rateLimited,
  requestTimedOut,
  requestTooLarge,
  unauthenticated,
  unavailable,
  unknownField,
  unsupportedMediaType,
} from '../problems/http.error';
import { problemType } from '../problems/problem-reply';
import { PROBE_MARK, PROBLEM_MARK } from '../problems/marks';
import { type Described, type Operation, operationsOf } from './operations';
import { PROBLEM_CODE, ProblemDto } from './problem.dto';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const EVERYWHERE = [internal, unavailable, malformedRequest, requestTimedOut, headersTooLarge];
const NOT_FOR_PROBES = [unknownField, rateLimited];
const BEHIND_A_TOKEN = [unauthenticated, keysUnavailable, forbidden];
const WITH_INPUT = [invalidRequest];

/** A body is read, and may be refused, even if the operation does not take a body. */
const WHERE_BODIES_ARE_READ = [requestTooLarge, unsupportedMediaType];

/** Gives every operation the problems that it declares, and those that follow from its shape. */
export function describeProblems(document: OpenAPIObject): void {
  for (const described of operationsOf(document)) describe(described);
  listCodes(document.components!.schemas!);
}

/** A separate schema makes it possible to check that a client knows all codes. */
function listCodes(schemas: Schemas): void {
  schemas[PROBLEM_CODE] = {
    type: 'string',
    description: 'The kind of problem. It is stable: branch on it.',
    enum: definedProblems().map(({ code }) => code),
  };
  const { properties } = schemas[ProblemDto.name] as { properties: Schemas };
  properties.code = { $ref: getSchemaPath(PROBLEM_CODE) };
}

function describe(described: Described): void {
  const { operation } = described;
  const problems = [...new Set([...declared(operation), ...implied(described)])];
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

function implied({ method, operation }: Described): ProblemDefinition[] {
  const { parameters = [], requestBody, security } = operation;
  const takesInput = parameters.length > 0 || requestBody !== undefined;
  return [
    ...(takesInput ? WITH_INPUT : []),
    ...(method === 'get' ? [] : WHERE_BODIES_ARE_READ),
    ...(security === undefined ? [] : BEHIND_A_TOKEN),
    ...(operation[PROBE_MARK] ? [] : NOT_FOR_PROBES),
    ...EVERYWHERE,
  ].map(({ definition }) => definition);
}

function removeMarks(operation: Operation): void {
  for (const { code } of definedProblems()) delete operation[`${PROBLEM_MARK}${code}`];
}

/** A client that knows the status need not handle the codes of others. */
function toAnswer(status: number, problems: ProblemDefinition[]) {
  const codes = problems.map(({ code }) => code);
  return {
    description: `${STATUS_CODES[status]}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: getSchemaPath(ProblemDto) },
            { type: 'object', required: ['code'], properties: { code: { type: 'string', enum: codes } } },
          ],
        },
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
