import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { type Operation, operationsOf } from './operations';
import { ProblemDto } from './problem.dto';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Exclude<Schemas[string], { $ref: string }>;
type Answer = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;

/** Generators name the values of an enumeration by this; otherwise they give `1` and `-1` the same name. */
const VALUE_NAMES = 'x-enum-varnames';

/**
 * Removes from a document the features on which client generators disagree. Every problem has the same class,
 * and a union is one class with the fields of all alternatives, as are the successes of an operation: a
 * client in Python reads a 202 as the class of the 201, and misses its fields.
 */
export function plainSchemas(document: OpenAPIObject): void {
  const schemas = document.components!.schemas! as Record<string, Schema>;
  for (const [name, schema] of Object.entries(schemas))
    if (schema.discriminator) schemas[name] = plainUnion(name, schema, schemas);
  for (const { properties = {} } of Object.values(schemas))
    for (const [name, field] of Object.entries(properties)) properties[name] = plainField(field);
  for (const { operation } of operationsOf(document)) {
    for (const answer of Object.values(operation.responses) as Answer[]) plainProblem(answer);
    plainExamples(operation, schemas);
    plainSuccess(operation, schemas);
  }
}

/** The name of an alternative ends in the name of the union. */
function plainUnion(name: string, union: Schema, schemas: Record<string, Schema>): Schema {
  const { propertyName, mapping = {} } = union.discriminator!;
  const names = Object.values(mapping).map(($ref) => nameOf({ $ref }));
  const { properties, ...rest } = commonClass(names.map((alternative) => schemas[alternative]!));
  const kind = {
    type: 'string' as const,
    enum: Object.keys(mapping),
    [VALUE_NAMES]: names.map((alternative) => alternative.slice(0, -name.length)),
  };
  return { ...rest, description: union.description, properties: { ...properties, [propertyName]: kind } };
}

function plainSuccess({ responses }: Operation, schemas: Record<string, Schema>): void {
  const contents = Object.entries(responses as Record<string, Answer>)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content }]) => content?.['application/json'] ?? []);
  const names = [...new Set(contents.map(({ schema }) => nameOf(schema as { $ref: string })))];
  if (names.length < 2) return;
  const name = names.map((one, i) => (i < names.length - 1 ? one.replace(/Dto$/, '') : one)).join('Or');
  schemas[name] = commonClass(names.map((one) => schemas[one]!));
  for (const content of contents) content.schema = { $ref: getSchemaPath(name) };
}

const nameOf = ({ $ref }: { readonly $ref: string }): string => $ref.split('/').at(-1)!;

/** The first alternative describes a common field. */
function commonClass(alternatives: readonly Schema[]): Schema {
  const fields = alternatives.toReversed().flatMap(({ properties = {} }) => Object.entries(properties));
  const required = alternatives
    .map((alternative) => alternative.required ?? [])
    .reduce((common, one) => common.filter((field) => one.includes(field)));
  return { type: 'object', properties: Object.fromEntries(fields), required };
}

/** Only 3.1 allows a description next to a reference. */
function plainField(field: Schemas[string]): Schemas[string] {
  if (!('$ref' in field) || Object.keys(field).length === 1) return field;
  const { $ref, ...rest } = field;
  return { ...rest, allOf: [{ $ref }] };
}

/** In 3.0 a class is not null, whatever is next to its reference: only generators read `nullable` there. */
function plainExamples({ requestBody }: Operation, schemas: Record<string, Schema>): void {
  const { schema, examples = {} } = (requestBody as Answer | undefined)?.content?.['application/json'] ?? {};
  if (!schema || !('$ref' in schema)) return;
  const fields = Object.entries(schemas[nameOf(schema)]!.properties ?? {});
  const classes = fields.flatMap(([name, field]) => ('allOf' in field ? name : []));
  for (const [title, example] of Object.entries(examples)) {
    const { value } = example as { readonly value: Readonly<Record<string, unknown>> };
    if (classes.some((name) => value[name] === null)) delete examples[title];
  }
}

function plainProblem({ content }: Answer): void {
  const problem = content?.['application/problem+json'];
  if (problem) problem.schema = { $ref: getSchemaPath(ProblemDto) };
}
