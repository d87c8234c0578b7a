import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { type Operation, operationsOf } from './operations';
import { ProblemDto } from './problem.dto';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Exclude<Schemas[string], { $ref: string }>;
type Answer = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;

/** Generators name the values of an enumeration by this; by themselves they name `1` and `-1` alike. */
const VALUE_NAMES = 'x-enum-varnames';

/**
 * Leaves out of a document what generators of clients do not agree about. Every problem has the same
 * class, and a union is one class with the fields of all alternatives.
 */
export function plainSchemas(document: OpenAPIObject): void {
  const schemas = document.components!.schemas! as Record<string, Schema>;
  for (const [name, schema] of Object.entries(schemas))
    if (schema.discriminator) schemas[name] = plainUnion(name, schema, schemas);
  for (const { properties = {} } of Object.values(schemas))
    for (const [name, field] of Object.entries(properties)) properties[name] = plainField(field);
  for (const { operation } of operationsOf(document))
    for (const answer of Object.values(operation.responses) as Answer[]) plainProblem(answer);
}

/** The name of an alternative ends in that of the union. The first one describes a common field. */
function plainUnion(name: string, union: Schema, schemas: Record<string, Schema>): Schema {
  const { propertyName, mapping = {} } = union.discriminator!;
  const names = Object.values(mapping).map((path) => path.split('/').at(-1)!);
  const alternatives = names.map((alternative) => schemas[alternative]!);
  const kind = {
    type: 'string' as const,
    enum: Object.keys(mapping),
    [VALUE_NAMES]: names.map((alternative) => alternative.slice(0, -name.length)),
  };
  const fields = alternatives.toReversed().flatMap(({ properties = {} }) => Object.entries(properties));
  const required = alternatives
    .map((alternative) => alternative.required ?? [])
    .reduce((common, fields) => common.filter((field) => fields.includes(field)));
  const { description } = union;
  const properties = { ...Object.fromEntries(fields), [propertyName]: kind };
  return { type: 'object', description, properties, required };
}

/** Only 3.1 allows a description beside a reference. */
function plainField(field: Schemas[string]): Schemas[string] {
  if (!('$ref' in field) || Object.keys(field).length === 1) return field;
  const { $ref, ...rest } = field;
  return { ...rest, allOf: [{ $ref }] };
}

function plainProblem({ content }: Answer): void {
  const problem = content?.['application/problem+json'];
  if (problem) problem.schema = { $ref: getSchemaPath(ProblemDto) };
}
