import type { OpenAPIObject } from '@nestjs/swagger';

interface Reference {
  readonly $ref?: string;
}

type Content = Readonly<Record<string, { readonly schema: Reference }>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** An input of a call: its name, its type, and whether it may be left out. */
type Input = readonly [name: string, type: string, isOptional?: boolean];

interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const JSON_TYPE = 'application/json';

/** Headers that a caller may give, by the options that become them. The client sends the others. */
const OPTIONS: Readonly<Record<string, string | undefined>> = {
  'Idempotency-Key': 'key',
  'Act-For': 'actFor',
  Ticket: 'ticket',
  'Share-Code': 'shareCode',
  'Packet-Password': 'password',
};

const HEAD = `import type { Options, Query, Schema } from './operations';
`;

/** Returns the methods of the client, and the table of their requests. */
export function namedOperations({ paths }: OpenAPIObject): string {
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      method,
      path,
      operation,
    })),
  );
  return [
    HEAD,
    '/** The operations of the API by name: what its path needs, its query or body, then options. */',
    `export interface Operations {\n${calls.map(methodOf).join('\n\n')}\n}\n`,
    '/** Method, path, inputs after those of the path; media types of an answer that is not JSON, or `status`. */',
    `export const ROUTES = {\n${calls.map(routeOf).join('\n')}\n} as const;\n`,
  ].join('\n');
}

function methodOf({ method, path, operation }: Call): string {
  const { operationId, summary, description, parameters = [] } = operation;
  const text = [summary, ...(description === undefined ? [] : ['', ...description.split('\n')])];
  const docs = [...text, '', `\`${method.toUpperCase()} ${path}\``].map((line) =>
    `   * ${line.replaceAll('*/', '*\\/')}`.trimEnd(),
  );
  const inputs = [...pathOf(parameters), ...inputsOf(operation)];
  const args = inputs.map(([name, type, isOptional]) => `${name}${isOptional ? '?' : ''}: ${type}`);
  const options = `options?: ${optionsOf(parameters)}`;
  return [
    ...['  /**', ...docs, '   */'],
    `  ${operationId}(${[...args, options].join(', ')}): Promise<${answerOf(operation)}>;`,
  ].join('\n');
}

function routeOf({ method, path, operation }: Call): string {
  const inputs = inputsOf(operation).map(([name]) => name);
  const answer = isByStatus(operation) ? 'status' : mediaTypesOf(operation).join(', ');
  const route = [method, path, ...(inputs.length + answer.length > 0 ? [inputs.join(' ')] : [])];
  return `  ${operation.operationId}: ${JSON.stringify(answer === '' ? route : [...route, answer])},`;
}

const pathOf = (parameters: readonly Parameter[]): Input[] =>
  parameters.filter((one) => one.in === 'path').map(({ name }) => [name, 'string']);

function inputsOf({ operationId, parameters = [], requestBody }: Operation): Input[] {
  const query = parameters.filter((one) => one.in === 'query');
  const isOptional = !query.some(({ required }) => required);
  const json = requestBody?.content[JSON_TYPE];
  return [
    ...(query.length > 0 ? [['query', `Query<'${operationId}'>`, isOptional] as const] : []),
    ...(json ? [['body', schemaOf(json.schema)] as const] : []),
    ...(requestBody && !json ? [['file', 'Blob'] as const] : []),
  ];
}

function optionsOf(parameters: readonly Parameter[]): string {
  const names = parameters
    .filter((one) => one.in === 'header')
    .flatMap(({ name }) => OPTIONS[name] ?? [])
    .sort();
  return names.length > 0 ? `Options<'${names.join("' | '")}'>` : 'Options';
}

const successesOf = ({ responses }: Operation) =>
  Object.entries(responses).map(([status, { content }]) => ({
    status,
    schema: content?.[JSON_TYPE] && schemaOf(content[JSON_TYPE].schema),
  }));

/** Whether the status alone identifies which of several answers was given. */
const isByStatus = (operation: Operation): boolean =>
  new Set(successesOf(operation).map(({ schema }) => schema)).size > 1;

function answerOf(operation: Operation): string {
  const successes = successesOf(operation);
  if (mediaTypesOf(operation).length > 0) return 'ReadableStream<Uint8Array>';
  if (!isByStatus(operation)) return successes[0]!.schema ?? 'undefined';
  return successes.map(({ status, schema }) => `{ status: ${status}; body: ${schema} }`).join(' | ');
}

/** The media types of an answer that is not only JSON. */
function mediaTypesOf({ responses }: Operation): string[] {
  const types = Object.keys(responses[200]?.content ?? {});
  return types.some((type) => type !== JSON_TYPE) ? types : [];
}

/** Every schema of a body has a name (generated.spec.ts). */
const schemaOf = ({ $ref }: Reference): string => `Schema<'${$ref!.split('/').at(-1)}'>`;
