import type { OpenAPIObject } from '@nestjs/swagger';
import { FIELD_PLACE_MARK } from '../problems/marks';
import { type Operation, operationsOf } from './operations';

interface Schema {
  readonly properties?: Record<string, Record<string, unknown>>;
  required?: string[];
}

interface Content {
  readonly schema?: { readonly $ref?: string };
  readonly examples?: Record<string, { readonly value: object }>;
}

/** Takes out empty places of fields, with the examples of bodies that need them, and all their marks. */
export function clearFieldPlaces(document: OpenAPIObject): void {
  const emptied = new Map<string, readonly string[]>();
  for (const [name, schema] of Object.entries(document.components!.schemas! as Record<string, Schema>)) {
    const fields = emptyFields(schema);
    if (fields.length > 0) emptied.set(name, fields);
  }
  for (const { operation } of operationsOf(document))
    for (const content of bodiesOf(operation)) leaveOutExamples(content, emptied);
}

function emptyFields(schema: Schema): string[] {
  const { properties = {}, required = [] } = schema;
  const marked = Object.entries(properties).filter(([, field]) => FIELD_PLACE_MARK in field);
  const empty = marked.flatMap(([name, field]) => (field[FIELD_PLACE_MARK] === 'empty' ? [name] : []));
  for (const [, field] of marked) delete field[FIELD_PLACE_MARK];
  for (const name of empty) delete properties[name];
  if (empty.length > 0) schema.required = required.filter((name) => !empty.includes(name));
  return empty;
}

const bodiesOf = ({ requestBody }: Operation): Content[] =>
  requestBody && 'content' in requestBody
    ? Object.values(requestBody.content as Record<string, Content>)
    : [];

function leaveOutExamples({ schema, examples = {} }: Content, emptied: Map<string, readonly string[]>): void {
  const fields = emptied.get(schema?.$ref?.split('/').at(-1) ?? '') ?? [];
  for (const [name, { value }] of Object.entries(examples))
    if (fields.some((field) => field in value)) delete examples[name];
}
