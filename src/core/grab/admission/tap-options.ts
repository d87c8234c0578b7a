import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { ProblemFactory } from '../../../../libs/problem';
import { addProblems, documentingParam, operationsOf } from '../../../platform/http';

/** A header of a request, and the field of a frame by that name in lower case. */
export interface TapOption {
  readonly header: string;
  readonly description: string;
  readonly schema: object;
  /** Refuse a tap whose option is missing or wrong. */
  readonly problems: readonly ProblemFactory[];
}

/** The headers or fields as they came, with all others. */
export type TapOptions = Readonly<Record<string, unknown>>;

const defined = new Map<string, TapOption>();

/** Gives taps an option, in programs that load the code which reads it. */
export function defineTapOption(option: TapOption): void {
  const field = option.header.toLowerCase();
  if (defined.has(field)) throw new Error(`The option ${field} of a tap is defined twice.`);
  defined.set(field, option);
}

export const isTapOption = (field: string): boolean => defined.has(field);

/** The schemas of the options as fields of a frame. */
export const tapOptionSchemas = (): Record<string, object> =>
  Object.fromEntries(Array.from(defined, ([field, { schema }]) => [field, schema]));

const FromHeaders = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().headers,
);

/** Keeps the place of the options among the parameters: extensions define them after the routes. */
const PLACE = 'x-tap-options';

/** Passes the options of a request to a method. */
export const TapOptionsParam = (): ParameterDecorator =>
  documentingParam(FromHeaders(), ApiHeader({ name: PLACE }));

/** Describes the options at the operations that read them. */
export function describeTapOptions(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document)) {
    const { parameters = [] } = operation;
    const place = parameters.findIndex((parameter) => 'name' in parameter && parameter.name === PLACE);
    if (place === -1) continue;
    parameters.splice(place, 1, ...Array.from(defined.values(), headerOf));
    for (const { problems } of defined.values()) addProblems(operation, problems);
  }
}

const headerOf = ({ header, description, schema }: TapOption) => ({
  name: header,
  in: 'header' as const,
  description,
  required: false,
  schema,
});
