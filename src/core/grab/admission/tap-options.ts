import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { ProblemFactory } from '../../../../libs/problem';
import { addProblems, documentingParam, type Operation, operationsOf } from '../../../platform/http';
import { activityNotFound } from '../../activity';

/** A header of a request, and a field of a frame. */
export interface TapOption {
  readonly header: string;
  /** By default the name of the header, in lower case. */
  readonly field?: string;
  /** Converts a value of the field into that of the header. By default they are the same. */
  readonly headerOf?: (value: unknown) => unknown;
  /** It lets its user know of an activity, so all requests and frames about activities take it. */
  readonly isKey?: boolean;
  readonly description: string;
  readonly schema: object;
  /** The problems that refuse a tap whose option is missing or wrong. */
  readonly problems: readonly ProblemFactory[];
}

/** All headers as they came, or the values that a frame has instead of them. */
export type TapOptions = Readonly<Record<string, unknown>>;

/** Longer than any key: a password of 64 characters, each percent-encoded. */
const KEY_LENGTH_MAX = 1_024;

/** By the names of their fields. */
const defined = new Map<string, TapOption>();

/** Gives taps an option, in programs that load the code which reads it. */
export function defineTapOption(option: TapOption): void {
  const field = fieldOf(option);
  if (defined.has(field)) throw new Error(`The option ${field} of a tap is defined twice.`);
  defined.set(field, option);
}

const fieldOf = ({ header, field = header.toLowerCase() }: TapOption): string => field;

export const isTapOption = (field: string): boolean => defined.has(field);

export const isKeyOption = (field: string): boolean => defined.get(field)?.isKey === true;

/** The options of a frame, as headers would bring them. */
export function tapOptionsIn(fields: Readonly<Record<string, unknown>>): TapOptions {
  const options: Record<string, unknown> = {};
  for (const [field, { header, headerOf }] of defined)
    if (fields[field] !== undefined)
      options[header.toLowerCase()] = headerOf ? headerOf(fields[field]) : fields[field];
  return options;
}

/** Returns the keys among these headers, without any that is too long to be valid. */
export function keyHeaders(headers: TapOptions): TapOptions {
  const keys: Record<string, unknown> = {};
  for (const { header, isKey } of defined.values()) {
    const value = headers[header.toLowerCase()];
    if (isKey && typeof value === 'string' && value.length <= KEY_LENGTH_MAX)
      keys[header.toLowerCase()] = value;
  }
  return keys;
}

/** The schemas of the options as fields of a frame that taps, or of any frame about activities. */
export const tapOptionSchemas = (of: 'tap' | 'activity' = 'tap'): Record<string, object> =>
  Object.fromEntries(
    Array.from(defined)
      .filter(([, { isKey }]) => of === 'tap' || isKey)
      .map(([field, { schema }]) => [field, schema]),
  );

const FromHeaders = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().headers,
);

/** Keeps the place of the options among the parameters: extensions define them after the routes. */
const PLACE = 'x-tap-options';

const KEYS_PLACE = 'x-activity-keys';

const ABOUT_AN_ACTIVITY = '/v1/activities/{id}';

/** Passes the keys of a request that names activities elsewhere than in its path. */
export const KeysParam = (): ParameterDecorator =>
  documentingParam(FromHeaders(), ApiHeader({ name: KEYS_PLACE }));

/** Passes the options of a request to a method. */
export const TapOptionsParam = (): ParameterDecorator =>
  documentingParam(FromHeaders(), ApiHeader({ name: PLACE }));

/** Describes the options at the operations that read them. */
export function describeTapOptions(document: OpenAPIObject): void {
  const options = [...defined.values()];
  const keys = options.filter(({ isKey }) => isKey);
  for (const { operation } of operationsOf(document)) {
    if (describeAt(PLACE, operation, options)) continue;
    describeAt(KEYS_PLACE, operation, keys);
  }
  if (keys.length === 0) return;
  for (const [path, operations] of Object.entries(document.paths))
    if (path === ABOUT_AN_ACTIVITY || path.startsWith(`${ABOUT_AN_ACTIVITY}/`))
      for (const operation of Object.values(operations) as Operation[]) describeHidden(operation, keys);
}

/** False if the operation has no such place. */
function describeAt(name: string, operation: Operation, options: readonly TapOption[]): boolean {
  const { parameters = [] } = operation;
  const place = parameters.findIndex((parameter) => 'name' in parameter && parameter.name === name);
  if (place === -1) return false;
  parameters.splice(place, 1, ...options.map(toParameter));
  for (const { problems } of options) addProblems(operation, problems);
  return true;
}

/** Users need a key to know of some activities. Staff know of all of them. */
function describeHidden(operation: Operation, keys: readonly TapOption[]): void {
  const roles = operation['x-roles'] as readonly string[] | undefined;
  const headers = (operation.parameters ?? []).map((parameter) => 'name' in parameter && parameter.name);
  if (!roles?.includes('user') || keys.some(({ header }) => headers.includes(header))) return;
  operation.parameters = [...(operation.parameters ?? []), ...keys.map(toParameter)];
  addProblems(operation, [activityNotFound, ...keys.flatMap(({ problems }) => problems)]);
}

const toParameter = ({ header, description, schema }: TapOption) => ({
  name: header,
  in: 'header' as const,
  description,
  required: false,
  schema,
});
